import type { Page } from 'playwright-core';

/** Returns the number of listeners of a type on a page's window, as counted by the browser's developer tools. */
export async function countListeners(page: Page, type: string): Promise<number> {
  const session = await page.context().newCDPSession(page);
  try {
    const { result } = await session.send('Runtime.evaluate', { expression: 'window' });
    const { listeners } = await session.send('DOMDebugger.getEventListeners', { objectId: result.objectId ?? '' });
    return listeners.filter((listener) => listener.type === type).length;
  } finally {
    await session.detach();
  }
}
