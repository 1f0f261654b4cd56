import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encryptForVault, type PublishedKey } from '../../../test/harness/client-encryption.ts';
import { untilTrue } from '../../../test/harness/deadline.ts';
import { makeLimitedKey, ruleOn } from '../../../test/harness/limited-key.ts';
import { makeClientKey } from '../../../test/harness/make-client-key.ts';
import { ProxyVault, proxyErrorOf } from '../../../test/harness/proxy-vault.ts';
import { callStored, makeKeylessProxy, makeProxy } from '../../../test/harness/stored-proxies.ts';

const card = { number: '4242424242424242', expiration_month: 12, expiration_year: 2030 };
let proxy: ProxyVault;
let clientKey: PublishedKey;
beforeAll(async () => {
  proxy = await ProxyVault.start();
  clientKey = await makeClientKey(proxy.vault, proxy.tenant);
});
afterAll(() => proxy.stop());

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64');
const encrypt = (data: unknown) => encryptForVault(typeof data === 'string' ? data : JSON.stringify(data), clientKey);
const cardHeader = () => encode({ type: 'card', encrypted: encrypt(card) });
const body = JSON.stringify({
  number: "{{ encrypted | json: '$.data.number' }}",
  month: "{{ encrypted | json: '$.data.expiration_month' }}",
});
const headers = (encrypted: string) => ({ 'bt-encrypted': encrypted, 'content-type': 'application/json' });
const bodyOf = () => proxy.destination.last.body.toString('utf8');

describe('BT-ENCRYPTED', () => {
  it('is decrypted for the request that refers to it, and not passed on', async () => {
    const header = cardHeader();
    expect((await proxy.call({ body, headers: headers(header) })).status).toBe(200);
    expect(bodyOf()).toBe('{"number":"4242424242424242","month":12}');
    expect(proxy.destination.last.head).not.toContain(header);
    const isRecorded = async () =>
      (await proxy.records()).some(({ outcome, transform }) => outcome === 'success' && transform === 'reveal');
    await untilTrue(isRecorded, { waitingFor: 'a record that plaintext was sent' });
  });

  it('can hold several parts, each with a name', async () => {
    const parts = {
      card: { type: 'card', encrypted: encrypt(card) },
      person: { type: 'token', encrypted: encrypt({ name: 'Ada' }) },
    };
    const request = `{"a":"{{ encrypted | json: '$.card.data.number' }}","b":"{{ encrypted | json: '$.person.data.name' }}"}`;
    expect((await proxy.call({ body: request, headers: headers(encode(parts)) })).status).toBe(200);
    expect(bodyOf()).toBe('{"a":"4242424242424242","b":"Ada"}');
  });

  it('works through a stored proxy with an API key, and is text without one', async () => {
    const made = await makeProxy(proxy);
    const call = { body, headers: { 'bt-encrypted': cardHeader() } };
    expect((await callStored(proxy, made.key, { ...call, key: proxy.tenant.keys.private })).status).toBe(200);
    expect(bodyOf()).toContain(card.number);
    const keyless = await makeKeylessProxy(proxy, {}, ['token:use', 'token:read']);
    expect((await callStored(proxy, keyless.key, call)).status).toBe(200);
    expect(bodyOf()).toBe(body);
  });

  it('403 needs token:use where a token of its type would be, before anything is decrypted', async () => {
    const key = await makeLimitedKey(proxy.vault, proxy.tenant, { rules: [ruleOn('/other/', 'reveal', 'token:use')] });
    const before = proxy.destination.seen.length;
    for (const header of [cardHeader(), encode({ type: 'card', encrypted: 'a.b.c.d.e' })])
      expect((await proxy.call({ key, body, headers: headers(header) })).status).toBe(403);
    expect(proxy.destination.seen).toHaveLength(before);
  });

  it.each<[string, () => string]>([
    ['another algorithm', () => encode({ type: 'card', encrypted: encryptForVault('{}', clientKey, { alg: 'dir' }) })],
    [
      'an unknown key',
      () => encode({ type: 'card', encrypted: encryptForVault('{}', clientKey, { kid: crypto.randomUUID() }) }),
    ],
    ['a changed value', () => encode({ type: 'card', encrypted: `${encrypt(card).slice(0, -3)}AAA` })],
    ['no JWE', () => encode({ type: 'card', encrypted: '4242' })],
    ['an unknown type', () => encode({ type: 'none', encrypted: encrypt(card) })],
    ['no JSON', () => Buffer.from('4242').toString('base64')],
    ['too many parts', () => encode(Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`p${n}`, {}])))],
    ['no base64', () => '{"type":"card"}'],
  ])('400 is refused with %s, and nothing is sent', async (_name, toHeader) => {
    const before = proxy.destination.seen.length;
    const refused = await proxy.call({ body, headers: headers(toHeader()) });
    expect(refused.status).toBe(400);
    expect(JSON.stringify(proxyErrorOf(refused))).not.toContain('4242');
    expect(proxy.destination.seen).toHaveLength(before);
  });
});
