import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { untilTrue } from '../../../../test/harness/deadline.ts';
import { fieldsOf } from '../../../../test/harness/test-application.ts';
import { type TestTenant, TestVault } from '../../../../test/harness/test-vault.ts';
import { TokenEndpoints, tokenOf } from '../../../../test/harness/token-endpoints.ts';

let vault: TestVault;
let tenant: TestTenant;
let tokens: TokenEndpoints;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  tokens = new TokenEndpoints(vault, tenant.keys.reveal);
});
afterAll(() => vault.stop());

const number = '4242424242424242';
const fingerprintOf = async (body: Readonly<Record<string, unknown>>, key = tenant.keys.reveal) =>
  (await tokens.make(body, { key })).fingerprint;

describe('a fingerprint', () => {
  it('has up to 100 letters and digits, for every kind of data', async () => {
    for (const data of ['x', 0, false, [], {}, '\u0000', '\ud800', { a: ['x'.repeat(1_000_000)] }]) {
      expect(await fingerprintOf({ data })).toMatch(/^[A-Za-z0-9]{1,100}$/);
    }
  });

  it('is the same for the same value, however it is spelled', async () => {
    const spellings = ['{"a":"A","b":[1]}', '{ "a" : "\\u0041" ,\n "b" : [ 1 ] }'];
    const answers = await Promise.all(spellings.map((text) => tokens.createRaw(text)));
    const [first, second] = answers.map((answer) => tokenOf(answer).fingerprint);
    expect(first).toBeDefined();
    expect(second).toBe(first);
  });

  it('differs between values, however alike they are', async () => {
    const texts = [
      '1',
      '"1"',
      '1.0',
      '[1]',
      '{"1":1}',
      '12345678901234567890',
      '12345678901234567891',
      '1e400',
      '1e401',
      '0',
      '-0',
      'true',
      '"true "',
      '"a"',
      '"A"',
      '"\\u0000"',
    ];
    const answers = await Promise.all(texts.map((text) => tokens.createRaw(text)));
    const fingerprints = answers.map((answer) => tokenOf(answer).fingerprint);
    // Stringified text has no quotes, so a number and its digits as text have the same fingerprint, and nothing else
    // does.
    expect(fingerprints[0]).toBe(fingerprints[1]);
    expect(new Set(fingerprints).size).toBe(texts.length - 1);
  });

  it('differs between types', async () => {
    const data = '021000021';
    const types = ['token', 'us_bank_account_number', 'us_bank_routing_number'];
    const fingerprints = await Promise.all(types.map((type) => fingerprintOf({ type, data })));
    expect(new Set(fingerprints).size).toBe(types.length);
  });

  it('differs between tenants, and is no hash that anybody could make', async () => {
    const other = await vault.makeTenant();
    const [ours, theirs] = [
      await fingerprintOf({ data: number }),
      await fingerprintOf({ data: number }, other.keys.reveal),
    ];
    expect(ours).not.toBe(theirs);
  });

  it('is made of the number of a card alone', async () => {
    const plain = await fingerprintOf({ type: 'card', data: { number } });
    expect(await fingerprintOf({ type: 'card', data: { number, expiration_month: 1, cvc: '123', name: 'Ada' } })).toBe(
      plain,
    );
    expect(await fingerprintOf({ type: 'card', data: { number: '5555555555554444' } })).not.toBe(plain);
  });

  it('follows the expression of the caller, which may use metadata', async () => {
    const body = (data: string, order: string) => ({
      data,
      metadata: { order },
      fingerprint_expression: 'o-{{ metadata.order }}-{{ data | slice: 0, 1 }}',
    });
    const first = await fingerprintOf(body('a', '7'));
    expect(await fingerprintOf(body('ab', '7'))).toBe(first);
    expect(await fingerprintOf(body('a', '8'))).not.toBe(first);
  });

  it('is left out where the expression yields nothing', async () => {
    for (const body of [
      { data: {}, fingerprint_expression: '{{ data.missing }}' },
      { data: '', fingerprint_expression: '{{ data }}' },
      { data: {}, fingerprint_expression: '{{ metadata.missing }}{{ data.missing }}' },
      { data: null },
      { data: '' },
    ]) {
      const token = await tokens.make(body);
      expect(Object.keys(token)).not.toContain('fingerprint');
      expect(tokenOf(await tokens.get(token.id))).not.toHaveProperty('fingerprint');
    }
  });

  it('follows an update of data, metadata and expression', async () => {
    const { id, fingerprint } = await tokens.make({ data: { a: 1, b: 1 }, metadata: { k: 'v' } });
    const patched = async (body: unknown) => tokenOf(await tokens.patch(id, body)).fingerprint;
    const changed = await patched({ data: { a: 2 } });
    expect(changed).not.toBe(fingerprint);
    expect(await patched({ data: { a: 1 } })).toBe(fingerprint);
    const byExpression = await patched({ fingerprint_expression: '{{ data.b }}{{ metadata.k }}' });
    expect(await patched({ data: { a: 3 } })).toBe(byExpression);
    expect(await patched({ metadata: { k: 'w' } })).not.toBe(byExpression);
    expect(await patched({ metadata: { k: null }, data: { b: null } })).toBeUndefined();
    expect(await patched({ fingerprint_expression: null, data: { a: 1, b: 1 } })).toBe(fingerprint);
  });

  it('is not made where the tenant wants none', async () => {
    const own = await vault.makeTenant();
    const settle = async (value: string) => {
      const settings = { fingerprint_tokens: value };
      await vault.request('PUT', '/tenants/self', { key: own.keys.management, body: { name: 'Own', settings } });
    };
    const options = { key: own.keys.reveal };
    const patience = { waitingFor: 'the setting to be heard of' };
    const before = await tokens.make({ data: number }, options);
    await settle('false');
    await untilTrue(async () => (await fingerprintOf({ data: number }, own.keys.reveal)) === undefined, patience);
    expect((await tokens.get(before.id, options)).body).toMatchObject({ fingerprint: before.fingerprint });
    expect(tokenOf(await tokens.patch(before.id, { metadata: {} }, options)).fingerprint).toBeUndefined();
    const withExpression = { data: number, fingerprint_expression: '{{ data | slice: 0, 8 }}' };
    const wanted = await tokens.make(withExpression, options);
    expect(wanted.fingerprint).toMatch(/^[A-Za-z0-9]{1,100}$/);
    expect(tokenOf(await tokens.patch(wanted.id, { metadata: {} }, options)).fingerprint).toBe(wanted.fingerprint);
    expect(await tokens.create({ type: 'token', ...withExpression, deduplicate_token: true }, options)).toMatchObject({
      status: 200,
      body: { id: wanted.id },
    });
    const twice = { data: number, deduplicate_token: true };
    expect((await tokens.make(twice, options)).id).not.toBe((await tokens.make(twice, options)).id);
    await settle('true');
    await untilTrue(
      async () => (await fingerprintOf({ data: number }, own.keys.reveal)) === before.fingerprint,
      patience,
    );
  });

  it('of a megabyte is made by the default expression, and not by one of the caller', async () => {
    const data = 'x'.repeat(1_000_000);
    const long = await fingerprintOf({ data });
    expect(await fingerprintOf({ data })).toBe(long);
    expect(await fingerprintOf({ data: `${data}y` })).not.toBe(long);
    const answer = await tokens.create({ type: 'token', data, fingerprint_expression: '{{ data | stringify }}' });
    expect(fieldsOf(answer)).toStrictEqual(['fingerprint_expression']);
  });

  it('400 refuses an expression that is wrong, too long, or fails on the data', async () => {
    const refused = async (fingerprint_expression: unknown) =>
      fieldsOf(await tokens.create({ type: 'token', data: 'text', fingerprint_expression }));
    const fields = ['fingerprint_expression'];
    expect(await refused('{{ data | nope }}')).toStrictEqual(fields);
    expect(await refused('{{ data')).toStrictEqual(fields);
    expect(await refused('{{ data | to_number }}')).toStrictEqual(fields);
    expect(await refused(`{{ data }}${'x'.repeat(391)}`)).toStrictEqual(fields);
    expect(await refused('a\u0000')).toStrictEqual(fields);
    expect(await refused('a\ud800')).toStrictEqual(fields);
    expect(await refused(7)).toStrictEqual(fields);
    expect(await refused(`{{ data }}${'x'.repeat(390)}`)).toStrictEqual([]);
  });
});
