import type { BrowserContext, Page, Response } from 'playwright-core';

/** Field values are not part of a page's text. */
const fieldValues = `[...document.querySelectorAll('input, textarea, select')].map(({ value }) => value).join('\\n')`;

/** Everything that a browser received, displayed and stored, grouped by where it was found. */
export class BrowserTraces {
  readonly #context: BrowserContext;
  readonly #page: Page;
  readonly #texts = new Map<string, string[]>();
  readonly #reading: Promise<void>[] = [];

  constructor(context: BrowserContext, page: Page) {
    this.#context = context;
    this.#page = page;
    page.on('console', (message) => this.#note('console', message.text()));
    page.on('pageerror', (error) => this.#note('console', String(error)));
    page.on('request', (request) => this.#note('requests', `${request.url()}\n${request.postData() ?? ''}`));
    page.on('response', (response) => this.#reading.push(this.#noteResponse(response)));
  }

  /** Collects the current content of the page and of the browser's storage. */
  async collect(): Promise<void> {
    const page = this.#page;
    this.#note('document', await page.content());
    this.#note('document', await page.evaluate<string>('document.body.innerText'));
    this.#note('document', await page.evaluate<string>(fieldValues));
    this.#note('local storage', await page.evaluate(() => JSON.stringify(localStorage)));
    this.#note('session storage', await page.evaluate(() => JSON.stringify(sessionStorage)));
    this.#note('history', await page.evaluate<string>('String(JSON.stringify(history.state))'));
    const session = await this.#context.newCDPSession(page);
    this.#note('history', JSON.stringify(await session.send('Page.getNavigationHistory')));
    await session.detach();
    await Promise.all(this.#reading.splice(0));
  }

  /** Returns all texts of a group, concatenated. */
  textOf(place: string): Buffer {
    return Buffer.from((this.#texts.get(place) ?? []).join('\n'));
  }

  get places(): string[] {
    return [...this.#texts.keys()].sort();
  }

  async #noteResponse(response: Response): Promise<void> {
    this.#note('responses', `${response.url()}\n${JSON.stringify(await response.allHeaders().catch(() => ({})))}`);
    // A redirect has no body, and neither has a response that was abandoned before it arrived.
    this.#note('responses', await response.text().catch(() => ''));
  }

  #note(place: string, text: string): void {
    const texts = this.#texts.get(place);
    if (texts === undefined) this.#texts.set(place, [text]);
    else texts.push(text);
  }
}
