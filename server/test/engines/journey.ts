import { untilTrue } from '../harness/deadline.ts';
import type { EngineName, EnginePage } from '../harness/engines/engine.ts';

/** The addresses of `strongroom dev`. */
export interface Ready {
  readonly url: string;
  readonly shop_url: string;
  readonly sign_in_url: string;
}

export interface Visit {
  readonly engine: EngineName;
  readonly page: EnginePage;
  readonly ready: Ready;
}

/** Something that a person does, and what they find in every engine. */
export interface Journey<Visiting = Visit> {
  readonly name: string;
  readonly run: (visit: Visiting) => Promise<unknown>;
  readonly found: unknown;
  /** Engines in which they find something else, and the reason. */
  readonly differences?: Partial<Record<EngineName, { readonly found: unknown; readonly reason: string }>>;
}

/** Waits until an expression is true. While the page changes, it may fail. */
export async function until(page: EnginePage, expression: string, frameIn?: string): Promise<void> {
  const isTrue = () =>
    page.evaluate(expression, frameIn).then(
      (value) => value === true,
      () => false,
    );
  await untilTrue(isTrue, { waitingFor: expression });
}

/** Opens the checkout and waits until its fields can be used. */
export async function openShop({ page, ready }: Visit): Promise<void> {
  await page.goto(ready.shop_url);
  await until(page, `document.querySelector('#pay button').disabled === false`);
}
