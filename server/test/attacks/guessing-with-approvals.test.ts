import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { passesLuhn } from '../../src/core/token-types/field-checks.ts';
import { makeCardNumber } from '../harness/card-number.ts';
import { FourEyesTenant, type Person, requestIn } from '../harness/four-eyes.ts';
import { TestVault } from '../harness/test-vault.ts';

/*
 * Previously, a single admin could find out whole card numbers in a tenant that requires approvals for plaintext. A key
 * that creates tokens and sees masked ones was enough, by comparing fingerprints or deduplicating a thousand guesses.
 */
let vault: TestVault;
let here: FourEyesTenant;
let ann: Person;
let bob: Person;
beforeAll(async () => {
  vault = await TestVault.start();
  here = await FourEyesTenant.make(vault);
  [ann, bob] = here.people;
});
afterAll(() => vault.stop());

const rule = (priority: number, transform: string, permission: string) => ({
  description: '',
  priority,
  container: '/',
  transform,
  permissions: [permission],
});

interface Card {
  readonly id: string;
  readonly fingerprint?: string;
  readonly card?: { readonly bin: string; readonly last4: string };
}

/** Stores a card, and tries every number that fits its masked view. Returns the number that was found, if any. */
async function guess(key: string, more: object): Promise<{ number: string; found: string | undefined }> {
  const number = makeCardNumber();
  const date = { expiration_month: 12, expiration_year: 2090 };
  const stored = await vault.request('POST', '/tokens', {
    key: here.tenant.keys.reveal,
    body: { type: 'card', data: { number, ...date } },
  });
  const { id } = stored.body as Card;
  const seen = (await vault.request('GET', `/tokens/${id}`, { key })).body as Card;
  const middle = Array.from({ length: 10_000 }, (_, index) => String(index).padStart(4, '0'));
  const open = middle.map((digits) => `${seen.card?.bin}${digits}${seen.card?.last4}`).filter(passesLuhn);
  const body = open.map((one) => ({ type: 'card', data: { number: one, ...date }, ...more }));
  const answer = await vault.request('POST', '/tokenize', { key, body });
  const made = Array.isArray(answer.body) ? (answer.body as Card[]) : [];
  const isFound = (one: Card) =>
    one.id === id || (one.fingerprint !== undefined && one.fingerprint === seen.fingerprint);
  return { number, found: open[made.findIndex(isFound)] };
}

describe('an application that one admin creates in a tenant that requires approvals', () => {
  it.each([
    ['creates and reads masked tokens', { permissions: ['token:create', 'token:read'] }],
    [
      'sees what it creates, and reads masked tokens',
      { rules: [rule(1, 'reveal', 'token:create'), rule(2, 'mask', 'token:read')] },
    ],
  ])('and that %s finds no card number by guessing', async (_name, rights) => {
    const made = await here.by(ann, 'POST', '/applications', { name: 'Statistics', type: 'private', ...rights });
    expect(made.status).toBe(201);
    const key = String(made.body['key']);
    const plain = await guess(key, {});
    expect(plain.found).toBeUndefined();
    const deduplicated = await guess(key, { deduplicate_token: true });
    expect(deduplicated.found).toBeUndefined();
  });

  it('still deduplicates, if it reads every token as plaintext', async () => {
    const key = here.tenant.keys.reveal;
    const { number, found } = await guess(key, { deduplicate_token: true });
    expect(found).toBe(number);
  });
});

/*
 * Previously, a search was an oracle that needed no approval: a social security number is indexed as a whole by default,
 * and its masked view leaves only five digits open.
 */
describe('a search in such a tenant', () => {
  const search = async (key: string, value: string) => {
    const answer = await vault.request('POST', '/tokens/search', { key, body: { query: `data:"${value}"` } });
    expect(answer.status, answer.text).toBe(200);
    return (answer.body as { data: Card[] }).data.map(({ id }) => id);
  };

  it('finds tokens by value only for callers that may read them as plaintext', async () => {
    const number = '219-09-9999';
    const body = { type: 'social_security_number', data: number };
    const stored = await vault.request('POST', '/tokens', { key: here.tenant.keys.reveal, body });
    const { id } = stored.body as Card;
    const made = await here.by(ann, 'POST', '/applications', {
      name: 'Support',
      type: 'private',
      permissions: ['token:read', 'token:search'],
    });
    expect(made.status).toBe(201);
    const key = String(made.body['key']);
    expect((await vault.request('GET', `/tokens/${id}`, { key })).text).toContain('9999');
    expect(await search(key, number)).toEqual([]);
    expect(await search(here.tenant.keys.reveal, number)).toEqual([id]);
  });
});

describe('settings of such a tenant', () => {
  const put = (settings: Readonly<Record<string, string>>, by = ann) =>
    here.by(by, 'PUT', '/tenants/self', { name: 'Careful', settings });
  const stored = async () => (await here.byKey('GET', '/tenants/self')).body['settings'] as Record<string, string>;

  it('open the proxy only after another admin has approved it', async () => {
    expect((await put({ disable_ephemeral_proxy: 'true' })).status).toBe(200);
    const asked = await put({ disable_ephemeral_proxy: 'false', color: 'red' });
    expect(asked.status).toBe(202);
    expect(await stored()).toMatchObject({ disable_ephemeral_proxy: 'true', color: 'red' });
    const request = requestIn(asked);
    expect((await here.decide(ann, 'approve', request)).status).toBe(403);
    expect((await here.decide(bob, 'approve', request)).status).toBe(303);
    expect(await stored()).toMatchObject({ disable_ephemeral_proxy: 'false', approve_plaintext: 'true' });
  });

  it('do not show fingerprints in masked views, whatever else they say', async () => {
    expect((await put({ fingerprint_visibility: 'mask' })).status).toBe(200);
    const made = await here.by(ann, 'POST', '/applications', {
      name: 'Reader',
      type: 'private',
      permissions: ['token:create', 'token:read'],
    });
    const key = String(made.body['key']);
    const token = await vault.request('POST', '/tokens', { key, body: { type: 'token', data: 'x' } });
    expect(token.status).toBe(201);
    expect(token.body).not.toHaveProperty('fingerprint');
  });
});
