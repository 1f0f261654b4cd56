import axe, { type AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** Makes axe known to the page. The context must bypass the policy of the page, which would block it. */
export async function injectAxe(page: Page): Promise<void> {
  await page.evaluate(axe.source);
}

/** Returns what axe complains about, and by how much the page is too wide for its window, each with the place. */
export async function complaintsAbout(page: Page, place: string): Promise<string[]> {
  const { violations } = await page.evaluate<AxeResults>(`axe.run(document, { runOnly: ${JSON.stringify(rules)} })`);
  const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
  return [
    ...violations.map(({ id, nodes }) => `${place}: ${id} at ${nodes[0]?.html ?? ''}`),
    ...(overflow > 0 ? [`${place}: ${overflow} pixels too wide`] : []),
  ];
}
