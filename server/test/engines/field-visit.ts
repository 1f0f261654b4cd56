import type { EngineName, EnginePage } from '../harness/engines/engine.ts';
import { messageFuzz } from '../harness/message-fuzz.ts';
import type { ShopSite } from '../harness/shop-site.ts';
import { until } from './journey.ts';

/** A page with all elements, in one of the engines. */
export interface FieldVisit {
  readonly engine: EngineName;
  readonly page: EnginePage;
  readonly site: ShopSite;
}

/** Serves the pages of the journeys: one in English, and one in German. */
export function servePages(site: ShopSite): void {
  const scripts = `<script>globalThis.key = ${JSON.stringify(site.key)}; ${messageFuzz}</script>`;
  site.serve('/fields', site.document(scripts));
  site.serve('/felder', site.document(scripts).replace('lang="en"', 'lang="de"'));
}

/** Opens a page, and mounts an element into each container. All get the same options, as an expression. */
export async function openFields({ page, site }: FieldVisit, options = '{}', path = '/fields'): Promise<void> {
  await page.goto(`${site.origin}${path}`);
  await until(page, `document.readyState === 'complete'`);
  await page.evaluate(`(async () => {
    globalThis.bt = await strongroom(key);
    globalThis.elements = {};
    const types = { number: 'cardNumber', date: 'cardExpirationDate', code: 'cardVerificationCode', card: 'card', text: 'text' };
    await Promise.all(Object.entries(types).map(([id, type]) => {
      elements[id] = bt.createElement(type, { targetId: id, ...${options} });
      return elements[id].mount('#' + id);
    }));
  })()`);
}

export const inputIn = (id: string) => ({ frameIn: `#${id}`, at: 'input' });

export const valuesIn = (page: EnginePage, id: string) =>
  page.evaluate(`[...document.querySelectorAll('input')].map(({ value }) => value)`, `#${id}`);

/** Empties fields, and waits until the page knows it. */
export async function empty(page: EnginePage, ...ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    await page.evaluate(`elements.${id}.clear()`);
    await until(page, `elements.${id}.metadata.empty`);
  }
}

/** Enters text as a password manager does, which sets the value of an input and reports a change. */
export const fillIn = (page: EnginePage, id: string, text: string, event = 'change') =>
  page.evaluate(
    `(() => {
      const input = document.querySelector('input');
      input.value = ${JSON.stringify(text)};
      input.dispatchEvent(new Event('${event}', { bubbles: true }));
    })()`,
    `#${id}`,
  );
