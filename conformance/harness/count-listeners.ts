import type { Page } from 'playwright-core';

/** How many listeners of a type the window of a page has, as the browser's own tools count them. */
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
