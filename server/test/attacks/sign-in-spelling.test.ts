import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { codeOf, goodPassword, inviteTo, setPassword } from '../harness/portal-people.ts';
import { PortalVisitor } from '../harness/portal-visitor.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';

/**
 * The database folds the case of more letters than ASCII has, and differently from JavaScript. Previously, an address
 * with `İ` found the account with `i`, but its attempts were counted separately. Each such letter doubled the number of
 * guesses, so there was practically no limit on trying passwords.
 */
const email = 'kisi.virgilio-isis@bikini.example.com';
const guessesMax = 10;

let vault: TestVault;
let tenant: TestTenant;
let secret: string;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  const { path } = await inviteTo(vault, tenant, email);
  const visitor = new PortalVisitor(vault.server.url);
  await visitor.post(path);
  secret = await setPassword(visitor);
});
beforeEach(async () => {
  await vault.database.owner.query('delete from sign_in_attempts');
  await vault.database.owner.query('update user_passwords set totp_step = 0');
});
afterAll(() => vault.stop());

async function tryPassword(address: string, password = 'a guess that is wrong'): Promise<number> {
  const visitor = new PortalVisitor(vault.server.url);
  const form = { email: address, password, code: codeOf(secret, 1) };
  return (await visitor.post('/portal/sign-in', form)).status;
}

/** Adds to the counted attempts directly, because comparing a password takes seconds on a busy machine. */
const countMore = (attempts: number) =>
  vault.database.owner.query('update sign_in_attempts set attempts = attempts + $1', [attempts]);

const signIn = (address: string) => tryPassword(address, goodPassword);

/** Returns the address with some occurrences of the letter replaced, in a different way for each number. */
function respell(letter: string, by: string, number: number): string {
  let place = 0;
  return [...email].map((one) => (one === letter && (number >> place++) % 2 === 1 ? by : one)).join('');
}

describe('another spelling of an address', () => {
  it.each([
    ['a capital I with a dot', 'i', '\u0130'],
    ['a small i without a dot', 'i', '\u0131'],
    ['a Kelvin sign', 'k', '\u212A'],
    ['a long s', 's', '\u017F'],
    ['a full-width letter', 'i', '\uFF49'],
    ['a Cyrillic letter', 'i', '\u0456'],
    ['a letter with a combining dot', 'i', 'i\u0307'],
    ['a letter with a joiner', 'i', 'i\u200D'],
    ['a soft hyphen', 'i', 'i\u00AD'],
    ['a full-width at sign', '@', '\uFF20'],
    ['an ideographic full stop', '.', '\u3002'],
  ])('lets nobody in, even with the right password: %s', async (_name, letter, by) => {
    expect(await signIn(email.replaceAll(letter, by))).toBe(401);
  });

  it.each([
    ['a capital I with a dot', 'i', '\u0130'],
    ['a Kelvin sign', 'k', '\u212A'],
    ['a capital letter', 'i', 'I'],
  ])('gives no further guesses at a password: %s', async (_name, letter, by) => {
    await tryPassword(email);
    await countMore(guessesMax - 1);
    for (const number of [1, 2]) expect([401, 429]).toContain(await signIn(respell(letter, by, number)));
    expect(await signIn(email)).toBe(429);
  });

  it.each([
    ['blanks around it', ` ${email} `],
    ['a tab behind it', `${email}\t`],
    ['a NUL in it', email.replace('@', '\0@')],
    ['a name before it', `Isis <${email}>`],
    ['a pattern', email.replace('isis', '%')],
    ['nothing', ''],
    ['more than an address can have', `${'i'.repeat(300)}@example.com`],
  ])('is refused like a wrong password: %s', async (_name, address) => {
    expect(await signIn(address)).toBe(401);
  });

  it('costs the client an attempt all the same', async () => {
    await tryPassword(respell('i', '\u0130', 1));
    await countMore(49);
    expect(await signIn(email)).toBe(429);
  });

  it('takes nothing away from the user whom it resembles', async () => {
    for (let attempt = 1; attempt <= guessesMax + 1; attempt += 1) await tryPassword(respell('i', '\u0130', attempt));
    expect(await signIn(email)).toBe(303);
  });
});

describe('guesses', () => {
  it('are counted for the user, however the case of the address changes', async () => {
    for (const number of [1, 2]) expect(await tryPassword(respell('i', 'I', number))).toBe(401);
    await countMore(guessesMax - 2);
    expect(await signIn(email.toUpperCase())).toBe(429);
  });

  it('are counted for an address that nobody has in the same way', async () => {
    const nobody = 'nobody.iiii@example.com';
    expect(await tryPassword(nobody)).toBe(401);
    await countMore(guessesMax - 1);
    expect(await tryPassword(nobody.toUpperCase())).toBe(429);
  });

  it('are forgotten when the user gets in', async () => {
    await tryPassword(email);
    await countMore(guessesMax - 2);
    expect(await signIn(email.toUpperCase())).toBe(303);
    expect(await tryPassword(email)).toBe(401);
  });
});

describe('an invitation', () => {
  it.each(['\u0130', '\u0131', '\u212A', 'i\u0307', '\uFF49'])('goes to no address with %j', async (letter) => {
    const answer = await vault.request('POST', '/tenants/self/invitations', {
      key: tenant.keys.management,
      body: { email: email.replace('i', letter) },
    });
    expect(answer.status).toBe(400);
  });
});
