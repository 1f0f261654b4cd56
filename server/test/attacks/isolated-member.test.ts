import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeLimitedKey, ruleOn } from '../harness/limited-key.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';
import { TokenEndpoints, tokenOf } from '../harness/token-endpoints.ts';

/*
 * Previously, a key that sees masked data could remove everything except a short member, and then find out that member
 * by comparing the default fingerprint, which covers all of the data, with the fingerprints of its guesses.
 */
let vault: TestVault;
let tenant: TestTenant;
let owner: TokenEndpoints;
let masked: TokenEndpoints;
let maskedKey: string;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  owner = new TokenEndpoints(vault, tenant.keys.reveal);
  maskedKey = await makeLimitedKey(vault, tenant, {
    rules: [ruleOn('/', 'mask', 'token:create', 'token:read', 'token:update')],
  });
  masked = new TokenEndpoints(vault, maskedKey);
});
afterAll(() => vault.stop());

const pin = '4711';
const fingerprintOf = async (data: object) =>
  tokenOf(
    await vault.request('POST', '/tokens', {
      key: maskedKey,
      body: { type: 'token', data },
    }),
  ).fingerprint;

describe('a key that sees masked data', () => {
  it.each([
    ['removes what is beside a member', { salt: null }, { pin }],
    ['knows what is beside a member', { salt: 'known' }, { pin, salt: 'known' }],
  ])('learns nothing from the fingerprint if it %s', async (_name, data, guess) => {
    const { id } = await owner.make({ data: { pin, salt: crypto.randomUUID() } });
    const patched = await masked.patch(id, { data });
    expect(patched.status).toBe(200);
    const right = await fingerprintOf(guess);
    expect(right).toBeDefined();
    expect(patched.text).not.toContain(String(right));
    expect(tokenOf(await masked.get(id)).fingerprint).toBeUndefined();
    // Changing something else does not restore the fingerprint, and does not reveal whether the guess is right.
    const again = await masked.patch(id, { metadata: { tried: 'again' } });
    expect(again.status).toBe(200);
    expect(again.text).not.toContain(String(right));
  });

  it('keeps the fingerprint of data that it replaces as a whole', async () => {
    const { id } = await owner.make({ data: { pin } });
    const patched = await masked.patch(id, { data: { pin: '1234' } });
    expect(tokenOf(patched).fingerprint).toBe(await fingerprintOf({ pin: '1234' }));
  });

  it('keeps the fingerprint of a card whose expiry it changes', async () => {
    const card = { number: '4242424242424242', expiration_month: 1, expiration_year: 2090 };
    const { id, fingerprint } = await owner.make({ type: 'card', data: card });
    expect(fingerprint).toBeDefined();
    const patched = await masked.patch(id, { data: { expiration_month: 2 } });
    expect(tokenOf(patched).fingerprint).toBe(fingerprint);
  });
});

/*
 * Previously, the next change by a caller that sees plaintext restored the fingerprint, even if that caller only
 * changed metadata. The attacker who had removed the other members only had to wait for that.
 */
describe('a token that has lost its fingerprint', () => {
  const isolate = async () => {
    const { id } = await owner.make({ data: { pin, salt: crypto.randomUUID() } });
    expect((await masked.patch(id, { data: { salt: null } })).status).toBe(200);
    return id;
  };

  it.each([
    ['metadata', { metadata: { seen: 'yes' } }],
    ['a part of the data', { data: { note: 'known' } }],
    ['a mask', { mask: { last: '{{ data.pin | reveal_last: 1 }}' } }],
  ])('does not get it back if a caller that sees plaintext changes %s', async (_name, change) => {
    const id = await isolate();
    expect((await owner.patch(id, change)).status).toBe(200);
    expect(tokenOf(await masked.get(id)).fingerprint).toBeUndefined();
  });

  it.each([
    ['asks for it', { fingerprint_expression: null }, { pin }],
    ['replaces all of the data', { data: { pin: '1234' } }, { pin: '1234' }],
  ])('gets one again if a caller that sees plaintext %s', async (_name, change, data) => {
    const id = await isolate();
    expect((await owner.patch(id, change)).status).toBe(200);
    expect(tokenOf(await owner.get(id)).fingerprint).toBe(await fingerprintOf(data));
  });
});
