import { describe, expect, inject, it } from 'vitest';
import { listClientCalls } from '../compatibility/client-calls.ts';
import { findUnserved } from '../compatibility/unserved-calls.ts';
import { browserClientName, openBrowserClient } from '../harness/browser-client.ts';
import { newest, older } from '../harness/node-clients.ts';

const { url, keys } = inject('vault');
const clients = [
  { name: newest.name, open: newest.open },
  { name: older.name, open: older.open },
  { name: browserClientName, open: openBrowserClient },
];
const offered = await listClientCalls();
const id = crypto.randomUUID();
/** Arguments to try with each call: ids for calls that need ids, otherwise the minimum that the client accepts. */
const attempts: readonly (readonly unknown[])[] = [
  Array.from({ length: 5 }, () => id),
  [{ memberId: id, tokenId: id, email: 'a@example.com', type: 'token', data: {}, name: 'x' }],
];

describe.each(clients)('$name', ({ name, open }) => {
  describe('calls of what a vault does not have', () => {
    it('get 404 with the reason, or 405, with any key', async () => {
      const unserved = (offered.get(name) ?? []).filter((call) => typeof findUnserved(call)?.answer === 'number');
      for (const key of [keys.private, keys.management]) {
        const client = await open(key, url);
        const answers = new Map<string, number[]>();
        const expected = new Map<string, unknown>();
        for (const call of unserved) {
          const kind = findUnserved(call)?.prefixes.find((prefix) => call.startsWith(prefix)) ?? '';
          expected.set(kind, findUnserved(call)?.answer);
          answers.set(kind, [...(answers.get(kind) ?? []), ...(await statusesOf(client, call))]);
        }
        // A client may reject the arguments, but at least one call of every kind must have reached the vault.
        expect(new Map([...answers].map(([kind, statuses]) => [kind, [...new Set(statuses)]]))).toEqual(
          new Map([...answers.keys()].map((kind) => [kind, [expected.get(kind)]])),
        );
      }
    });
  });
});

interface ClientError {
  readonly status?: number;
  readonly statusCode?: number;
  /** The body of a response. The clients for servers call it `body`, those for browsers `data`. */
  readonly body?: { readonly detail?: string };
  readonly data?: { readonly detail?: string };
}

/**
 * Returns the statuses of the responses to a call. The list is empty if the client did not send it. A 404 response must
 * give a reason.
 */
async function statusesOf(client: object, call: string): Promise<number[]> {
  const statuses: number[] = [];
  const why = findUnserved(call)?.why.replaceAll('`', '');
  for (const attempt of attempts) {
    try {
      await invoke(client, call, attempt);
      statuses.push(200);
    } catch (error) {
      const { statusCode, status = statusCode, body, data = body } = error as ClientError;
      // The client for browsers reports -1 if there was no response.
      if (status === undefined || status < 0) continue;
      statuses.push(status);
      if (status === 404) expect([call, data?.detail]).toEqual([call, expect.stringContaining(why ?? '?')]);
    }
  }
  return statuses;
}

function invoke(client: object, call: string, parameters: readonly unknown[]): unknown {
  const names = call.split('.');
  const method = names.pop() ?? '';
  const target = names.reduce((part, name) => part[name] as Record<string, unknown>, client as Record<string, unknown>);
  return (target[method] as (...given: readonly unknown[]) => unknown).apply(target, [...parameters]);
}
