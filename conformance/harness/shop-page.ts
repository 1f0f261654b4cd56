import type { Frame, Page } from 'playwright-core';
import { expect } from 'vitest';

/** An error that the page has caught. */
export interface CaughtError {
  readonly name: string;
  readonly message: string;
  readonly status?: number;
  readonly data?: unknown;
  readonly details?: unknown;
  readonly validation?: unknown;
}

interface OpenedPage {
  readonly page: Page;
  readonly complaints: string[];
  readonly hosts: ReadonlySet<string>;
  readonly key: string;
}

/** A page of the shop in a browser. Options are passed as source code, because they can be regular expressions. */
export class ShopPage {
  readonly page: Page;
  /** Messages that the page has logged to its console. */
  readonly complaints: string[];
  /** Hosts to which anything in the page has sent a request. */
  readonly hosts: ReadonlySet<string>;
  readonly #key: string;
  #lastField = 0;

  constructor({ page, complaints, hosts, key }: OpenedPage) {
    this.page = page;
    this.complaints = complaints;
    this.hosts = hosts;
    this.#key = key;
  }

  /** Initializes the package. Its options are passed as JSON. */
  async open(options: object = { disableTelemetry: true }): Promise<void> {
    await this.page.evaluate(`openShop(${JSON.stringify(this.#key)}, ${JSON.stringify(options)})`);
  }

  run<T = unknown>(script: string): Promise<T> {
    return this.page.evaluate<T>(`(async () => { ${script} })()`);
  }

  /** Returns the error that a script throws. Fails if the script succeeds. */
  async errorOf(script: string): Promise<CaughtError> {
    const caught = await this.page.evaluate<CaughtError | undefined>(`(async () => { ${script} })().then(
      () => undefined,
      (error) => ({ name: error.name, message: error.message, ...error }),
    )`);
    if (caught === undefined) throw new Error('The page was expected to catch an error and did not.');
    return caught;
  }

  /** Creates and mounts an element in a new container. */
  async place(type: string, options = '{}'): Promise<PlacedField> {
    this.#lastField += 1;
    const id = `field${this.#lastField}`;
    await this.run(`globalThis.${id} = await fields.place('${id}', '${type}', ${options})`);
    return new PlacedField(this, id);
  }
}

/** Cleans up after a test, because unused frames slow the page down. */
export function tidyAfter(page: () => ShopPage): () => Promise<void> {
  return async () => {
    await page().run(
      `for (const frame of document.querySelectorAll('body > div iframe')) frame.parentElement.remove()`,
    );
  };
}

/** An element in the page. `id` names its container and the page's variable that holds it. */
export class PlacedField {
  readonly id: string;
  readonly #shop: ShopPage;

  constructor(shop: ShopPage, id: string) {
    this.#shop = shop;
    this.id = id;
  }

  async frame(): Promise<Frame> {
    const handle = await this.#shop.page.waitForSelector(`#${this.id} iframe`);
    const frame = await handle.contentFrame();
    if (frame === null) throw new Error(`There is no frame in #${this.id}.`);
    return frame;
  }

  async type(text: string, at = 0): Promise<void> {
    await (await this.frame()).locator('input').nth(at).pressSequentially(text);
  }

  /** Returns a property of the first input. */
  async input<T = string>(property: string): Promise<T> {
    return (await this.frame()).evaluate<T>(`document.querySelector('input').${property}`);
  }

  /** Returns the computed style of an element in the frame. */
  async styleOf(selector: string, property: string, pseudo?: string): Promise<string> {
    const given = JSON.stringify([selector, property, pseudo ?? null]);
    return (await this.frame()).evaluate<string>(`(([selector, property, pseudo]) =>
      getComputedStyle(document.querySelector(selector), pseudo)[property])(${given})`);
  }

  do<T = unknown>(call: string): Promise<T> {
    return this.#shop.run<T>(`return ${this.id}.${call}`);
  }

  async events(type?: string): Promise<readonly Record<string, unknown>[]> {
    const events = await this.#shop.run<Record<string, unknown>[]>(`return fields.eventsOf('${this.id}')`);
    return type === undefined ? events : events.filter((event) => event['type'] === type);
  }

  /** Waits until the last event of a type equals the expected one. */
  async saw(type: string, expected: Record<string, unknown>): Promise<void> {
    await expect.poll(async () => (await this.events(type)).at(-1)).toEqual({ type, ...expected });
  }

  async remove(): Promise<void> {
    await this.#shop.run(`document.querySelector('#${this.id}').remove()`);
  }
}
