import { BasisTheory } from '@basis-theory/basis-theory-js';

/** The client for browsers, run in Node.js. It needs no page unless its hosted elements are used. */
export type BrowserClient = Awaited<ReturnType<typeof openBrowserClient>>;

export const browserClientName = 'basis-theory-js 4.30.2';

export function openBrowserClient(apiKey: string, url: string, options: { readonly debug?: boolean } = {}) {
  // Without the second option, the client reports every failure to its maker.
  return new BasisTheory().init(apiKey, { apiBaseUrl: url, disableTelemetry: true, ...options });
}
