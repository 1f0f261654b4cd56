import type { ElementsShop, ShopPage } from './elements-shop.ts';

/** A shop page with a record of everything that it can see. */
export interface WatchedPage extends ShopPage {
  /** Types like a person. */
  readonly type: (id: string, text: string) => Promise<void>;
  /** Returns everything that the page has seen, as one text. */
  readonly seen: () => Promise<string>;
  /** Runs a script as the page and records its result. */
  readonly attack: <Result = unknown>(script: string) => Promise<Result>;
}

/** Records messages and errors in the capture phase, before other listeners of the page. */
const listen = `
  globalThis.seenMessages = [];
  addEventListener('message', ({ data, origin, ports }) => {
    let text;
    try { text = JSON.stringify(data); } catch { text = String(data); }
    seenMessages.push(origin + ' ' + text + ' ' + ports.length);
  }, true);
  for (const type of ['error', 'unhandledrejection', 'securitypolicyviolation'])
    addEventListener(type, (event) => seenMessages.push(type + ' ' + (event.message ?? event.reason ?? event.blockedURI)), true);
  globalThis.settle = async (promise) => {
    try { return { value: await promise }; }
    catch (error) { return { error: String(error), data: error.data, details: error.details, stack: error.stack }; }
  };
`;

const look = `(() => {
  const frames = [...document.querySelectorAll('iframe')];
  const attempts = frames.map((frame) => {
    try { return String(frame.contentDocument?.body?.innerHTML); } catch (error) { return String(error); }
  });
  const storage = [localStorage, sessionStorage].map((one) => JSON.stringify({ ...one }));
  return JSON.stringify([seenMessages, performance.getEntries().map(({ name }) => name), attempts, storage, document.cookie,
    document.documentElement.outerHTML, String(getSelection()), history.state, window.name, location.href]);
})()`;

export async function watch(shop: ElementsShop, path = '/'): Promise<WatchedPage> {
  const kept: string[] = [];
  const opened = await shop.open({ path }, {});
  const { page, frameOf } = opened;
  page.on('console', (message) => kept.push(message.text()));
  page.on('pageerror', (error) => kept.push(String(error.stack)));
  page.on('response', (response) => {
    if (response.frame() === page.mainFrame()) kept.push(JSON.stringify([response.url(), response.headers()]));
  });
  await page.evaluate(listen);
  return {
    ...opened,
    type: async (id, text) => {
      const input = (await frameOf(id)).getByRole('textbox').first();
      await input.press('End');
      await input.pressSequentially(text);
    },
    seen: async () => [...kept, await page.evaluate<string>(look)].join('\n'),
    attack: async <Result>(script: string) => {
      const result = await page.evaluate<Result>(script);
      kept.push(JSON.stringify(result) ?? '');
      return result;
    },
  };
}

/** Random texts that contain digits by chance: ids, nonces, times and ports. */
const random =
  /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{32}|key_[A-Za-z0-9_]+|localhost:\d+/g;
const windowLength = 6;

/**
 * Returns the hidden parts of a card number that occur in a text. A hidden part is any run of six digits, with any
 * separators, that includes a digit outside the BIN and the last four.
 */
export function findHidden(seen: string, number: string): string[] {
  const shown = number.length < 16 ? 6 : 8;
  const text = seen.replaceAll(random, '/').replaceAll(/(?<=\d)[ .\-_]+(?=\d)/g, '');
  const starts = Array.from({ length: number.length - windowLength + 1 }, (_, start) => start);
  return starts
    .filter((start) => start + windowLength > shown && start < number.length - 4)
    .map((start) => number.slice(start, start + windowLength))
    .filter((part) => text.includes(part));
}
