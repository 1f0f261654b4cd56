import { BasisTheoryClient } from '@basis-theory/node-sdk';
import { browserClientName, openBrowserClient } from '../harness/browser-client.ts';
import { newest, older, openEarlier } from '../harness/node-clients.ts';
import { listElementCalls } from './element-calls.ts';

/**
 * Lists every call that a client offers, as found on the client object, in the form that its users write:
 * `tenants.self.get`.
 */
export async function listClientCalls(): Promise<ReadonlyMap<string, readonly string[]>> {
  const nowhere = 'http://localhost:1';
  return new Map([
    [newest.name, callsOf(new BasisTheoryClient({ apiKey: 'none', environment: nowhere }))],
    [older.name, callsOf(openEarlier('none', nowhere))],
    [browserClientName, callsOf(await openBrowserClient('none', nowhere))],
    ...listElementCalls(),
  ]);
}

/** Members that start a client or are internal to it. */
const notCalls = new Set(['init', 'initOptions', 'loadElements', 'proxy.proxyRequest']);
/** Getters that fail or warn without a page. */
const needPage = new Set(['client', 'elements']);

function callsOf(client: object, path = ''): string[] {
  const names = prototypesOf(client).flatMap((prototype) =>
    Object.entries(Object.getOwnPropertyDescriptors(prototype)).flatMap(([name, descriptor]) => {
      const call = `${path}${name}`;
      if (name === 'constructor' || name.startsWith('_') || notCalls.has(call)) return [];
      if (descriptor.get === undefined || needPage.has(call)) return [call];
      return callsOf((client as Record<string, object>)[name] ?? {}, `${call}.`);
    }),
  );
  return [...new Set(names)].toSorted();
}

function prototypesOf(object: object): object[] {
  const prototype: unknown = Object.getPrototypeOf(object);
  if (typeof prototype !== 'object' || prototype === null || prototype === Object.prototype) return [];
  return [prototype, ...prototypesOf(prototype)];
}
