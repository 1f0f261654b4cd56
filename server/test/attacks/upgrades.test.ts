import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sendRaw, requestHead } from '../harness/raw-http.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';

/**
 * Previously, bytes after a request with `Upgrade` were skipped, and the following bytes were parsed from the wrong
 * offset. The body of one request was executed as another request. Now such a request is served as the last one of its
 * connection.
 */
let vault: TestVault;
let tenant: TestTenant;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
});
afterAll(() => vault.stop());

const upgrades = {
  websocket: { connection: 'upgrade', upgrade: 'websocket' },
  h2c: {
    connection: 'upgrade, http2-settings',
    upgrade: 'h2c',
    'http2-settings': 'AAMAAABkAARAAAAAAAIAAAAA',
  },
  'an unknown protocol': { connection: 'keep-alive, Upgrade', upgrade: 'x/1' },
} as const;
const names = Object.keys(upgrades) as (keyof typeof upgrades)[];

const json = () => ({ 'bt-api-key': tenant.keys.private, 'content-type': 'application/json' });
const create = (id: string, headers: Readonly<Record<string, string>> = { connection: 'keep-alive' }) => {
  const body = JSON.stringify({ id, type: 'token', data: 'x' });
  return requestHead('POST /tokens', { ...json(), ...headers, 'content-length': String(body.length) }) + body;
};
const ask = (headers: Readonly<Record<string, string>>) =>
  requestHead('GET /tokens/none', { 'bt-api-key': tenant.keys.private, ...headers });
const statusesOf = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
const exists = async (id: string) =>
  (await vault.request('GET', `/tokens/${id}`, { key: tenant.keys.private })).status === 200;

describe.each(names)('a request that asks for %s', (name) => {
  const headers = upgrades[name];
  const idOf = (what: string) => `${what}-${names.indexOf(name)}`;

  it('is served, and ends the connection', async () => {
    const { status, headers: sent } = await sendRaw(vault.server.url, ask(headers));
    expect([status, sent['connection']]).toEqual([404, 'close']);
  });

  it('is served with its body', async () => {
    const { text } = await sendRaw(vault.server.url, create(idOf('own'), headers));
    expect(statusesOf(text)).toEqual([201]);
  });

  it('is the last that is executed', async () => {
    const { text } = await sendRaw(vault.server.url, ask(headers) + create(idOf('behind')));
    expect(statusesOf(text)).toEqual([404]);
    expect(await exists(idOf('behind'))).toBe(false);
  });

  it.each(['content-length', 'chunked'])('has nothing of a later body executed: %s', async (framing) => {
    const id = idOf(framing);
    const hidden = create(id);
    const length =
      framing === 'chunked' ? { 'transfer-encoding': 'chunked' } : { 'content-length': String(hidden.length) };
    const outer = requestHead('POST /tokenize', { ...json(), connection: 'keep-alive', ...length });
    const body = framing === 'chunked' ? `${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n` : hidden;
    // The bytes are sent in two pieces. The parser skips the first, and would read the second from its start.
    const { text } = await sendRaw(vault.server.url, [ask(headers) + outer, body]);
    expect(statusesOf(text)).toEqual([404]);
    expect(await exists(id)).toBe(false);
  });
});

describe('a connection without an upgrade', () => {
  it('takes one request after the other', async () => {
    const { text } = await sendRaw(vault.server.url, create('first') + create('second', { connection: 'close' }));
    expect(statusesOf(text)).toEqual([201, 201]);
  });
});
