import { expect } from 'vitest';
import type { PacedStream } from './paced-client.ts';
import type { TestTenant, TestVault } from './test-vault.ts';

/**
 * Prepares the most expensive traffic that the API's limits allow one tenant from one address: ten lists, five
 * searches, twenty writes and sixty reads of the largest tokens per second. The data that this traffic needs is created
 * first.
 */
export async function prepareAbuse(
  vault: TestVault,
  { keys }: TestTenant,
  { url, isLong }: { readonly url: string; readonly isLong: boolean },
): Promise<PacedStream[]> {
  const bulk = 'x'.repeat((isLong ? 4 : 1) * 1024 * 1024 - 2_000);
  const big = Array.from({ length: isLong ? 40 : 12 }, (_, index) => `big-${index}`);
  for (const id of big) {
    const body = { id, type: 'token', data: bulk, mask: 'hidden' };
    expect((await vault.request('POST', '/tokens', { key: keys.public, body, url })).status).toBe(201);
  }
  const metadata = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`key${index}`, `value ${index}`]));
  const mask = Object.fromEntries(
    Array.from({ length: 32 }, (_, index) => [`m${index}`, "{{ data.number | card_mask: 'true', 'true' }}"]),
  );
  const masked = Array.from({ length: 100 }, () => ({
    type: 'token',
    data: { number: '4242424242424242' },
    mask,
    metadata: { kind: 'masked' },
  }));
  expect((await vault.request('POST', '/tokenize', { key: keys.private, body: masked, url })).status).toBe(200);
  const search = (path: string, query: string, size: number) => ({
    method: 'POST',
    path,
    key: keys.reveal,
    body: { query, size },
  });
  const lists = ['/v2/tokens?size=100', '/tokens?size=100', '/tokens?size=2', '/tokens?metadata.kind=masked&size=100'];
  const sets = (index: number) =>
    Array.from({ length: 100 }, (_, set) => ({
      type: 'token',
      data: 'v',
      containers: [`/n${(index * 100 + set) % 900}/`],
    }));
  const heavyWrites = [
    Array.from({ length: 1_000 }, () => ({ type: 'token', data: 'v', metadata })),
    Array.from({ length: 350 }, () => ({ type: 'token', data: { number: '4242424242424242' }, mask })),
  ];
  return [
    { perSecond: 10, requests: lists.map((path) => ({ method: 'GET', path, key: keys.reveal })) },
    {
      perSecond: 5,
      requests: [
        search('/v2/tokens/search', 'NOT data:none', 100),
        search('/tokens/search', 'NOT (data:a OR metadata.b:c)', 5),
      ],
    },
    {
      perSecond: isLong ? 20 : 5,
      requests: [
        ...Array.from({ length: 9 }, (_, index) => ({
          method: 'POST',
          path: '/tokenize',
          key: keys.public,
          body: sets(index),
        })),
        ...(isLong ? heavyWrites.map((body) => ({ method: 'POST', path: '/tokenize', key: keys.private, body })) : []),
      ],
    },
    {
      perSecond: isLong ? 60 : 10,
      requests: big.map((id) => ({ method: 'GET', path: `/tokens/${id}`, key: keys.private })),
    },
  ];
}
