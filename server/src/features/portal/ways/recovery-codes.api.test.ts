import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  codeOf,
  codesIn,
  goodPassword,
  setPasswordWithCodes,
  welcome,
  welcomeProven,
} from '../../../../test/harness/portal-people.ts';
import { PortalVisitor } from '../../../../test/harness/portal-visitor.ts';
import { type TestTenant, TestVault } from '../../../../test/harness/test-vault.ts';

let vault: TestVault;
let tenant: TestTenant;
let member: PortalVisitor;
let email: string;
let secret: string;
let codes: string[];
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  ({ visitor: member, email } = await welcomeProven(vault, tenant));
});
beforeEach(async () => {
  await query('delete from sign_in_attempts');
  ({ secret, codes } = await setPasswordWithCodes(member));
});
afterAll(() => vault.stop());

const query = async <Row extends object>(text: string, values: unknown[] = []) =>
  (await vault.database.owner.query<Row>(text, values)).rows;
const newVisitor = () => new PortalVisitor(vault.server.url);
const signIn = (code: string, form: Record<string, string> = {}, visitor = newVisitor()) =>
  visitor.post('/portal/sign-in', { email, password: goodPassword, code, ...form });
const countCodes = async () =>
  (await query('select from user_recovery_codes c join users u on u.id = c.user_id where u.email = $1', [email]))
    .length;
const codeAt = (index: number) => codes[index] ?? '';
const operations = async () =>
  (await vault.auditRecords(tenant.id)).map((record) => `${String(record['operation'])} ${String(record['outcome'])}`);

describe('recovery codes', () => {
  it('are ten, shown once, and stored as nothing that gives them away', async () => {
    expect(codes).toHaveLength(10);
    expect(new Set(codes).size).toBe(10);
    expect((await member.get('/portal/account')).text).toContain('10 recovery codes left');
    const stored = JSON.stringify(
      await query('select user_id, encode(code_hash, $1) as hash from user_recovery_codes', ['escape']),
    );
    const plain = codes.map((code) => code.replaceAll('-', ''));
    for (const code of [...codes, ...plain]) {
      expect(stored).not.toContain(code);
      expect((await member.get('/portal/account')).text).not.toContain(code);
    }
    expect(vault.logLines.join()).not.toContain(codeAt(0));
    const lengths = await query('select distinct length(code_hash) as bytes from user_recovery_codes');
    expect(lengths).toEqual([{ bytes: 32 }]);
  });

  it('stand in for the app, once each, and the tenant is told', async () => {
    const visitor = newVisitor();
    const answer = await signIn(codeAt(0), {}, visitor);
    expect([answer.status, answer.location]).toEqual([303, '/portal/']);
    expect((await visitor.get('/portal/account')).text).toContain('9 recovery codes left');
    expect((await operations()).slice(-2)).toEqual(['use_recovery_code success', 'sign_in success']);
    const again = await signIn(codeAt(0));
    expect([again.status, again.headers.getSetCookie()]).toEqual([401, []]);
    // The app still works, and so does every other code.
    expect((await signIn(codeOf(secret, 1))).status).toBe(303);
    expect((await signIn(codeAt(9))).status).toBe(303);
  });

  it('let one in of many that use the same at once', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => signIn(codeAt(1))));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([303, 401, 401, 401, 401, 401]);
    expect(await countCodes()).toBe(9);
  });

  it('may be typed in any case, with or without what is between the groups', async () => {
    expect((await signIn(codeAt(2).toLowerCase())).status).toBe(303);
    expect((await signIn(codeAt(3).replaceAll('-', ''))).status).toBe(303);
    expect((await signIn(` ${codeAt(4).replaceAll('-', ' ')} `)).status).toBe(303);
  });

  it('are worth nothing without the password, and are not used up by that', async () => {
    expect((await signIn(codeAt(0), { password: 'another good password' })).status).toBe(401);
    expect((await signIn(codeAt(0), { email: 'nobody@example.com' })).status).toBe(401);
    expect((await signIn(codeAt(0))).status).toBe(303);
  });

  it('are those of one user only', async () => {
    const { visitor, email: other } = await welcome(vault, tenant);
    const theirs = await setPasswordWithCodes(visitor);
    expect((await signIn(theirs.codes[0] ?? '')).status).toBe(401);
    expect((await signIn(codeAt(0), { email: other })).status).toBe(401);
    expect((await signIn(theirs.codes[0] ?? '', { email: other })).status).toBe(303);
  });

  it('are refused in the same words as anything else that is wrong', async () => {
    const textOf = async (code: string) => /role="alert">([^<]*)</.exec((await signIn(code)).text)?.[1];
    expect(await textOf('AAAA-BBBB-CCCC-DDDD')).toBe('The e-mail address, password or code is incorrect.');
    expect(await textOf(`${codeAt(0)}A`)).toBe('The e-mail address, password or code is incorrect.');
    expect((await operations()).at(-1)).toBe('sign_in denied');
  });

  it('may be guessed as seldom as the codes of the app, and then not even the right one counts', async () => {
    for (let attempt = 0; attempt < 5; attempt += 1) {
      expect((await signIn('AAAA-BBBB-CCCC-DDDD')).status).toBe(401);
      expect((await signIn('000000')).status).toBe(401);
    }
    expect((await signIn(codeAt(0))).status).toBe(429);
    expect(await countCodes()).toBe(10);
  });

  it('make a session that proves no more than they do: since when they exist, not the password', async () => {
    await query(`update user_passwords set created_at = created_at - interval '1 day'`);
    await signIn(codeAt(0));
    const [session] = await query<{ isOfCode: boolean; isAuthenticated: boolean }>(
      `select s.proven_since = (select max(created_at) from user_recovery_codes c where c.user_id = s.user_id) as "isOfCode",
        s.is_authenticated as "isAuthenticated" from user_sessions s order by s.created_at desc limit 1`,
    );
    expect(session).toEqual({ isOfCode: true, isAuthenticated: true });
  });
});

describe('new recovery codes', () => {
  it('replace all earlier ones, and the tenant is told', async () => {
    const page = await member.post('/portal/recovery-codes');
    expect(page.status).toBe(200);
    expect(page.headers.get('cache-control')).toBe('no-store');
    const fresh = codesIn(page);
    expect(fresh).toHaveLength(10);
    expect((await operations()).at(-1)).toBe('change_sign_in success');
    expect((await signIn(codeAt(0))).status).toBe(401);
    expect((await signIn(fresh[0] ?? '')).status).toBe(303);
  });

  it('come with a new password, and those from before it do not count', async () => {
    const before = codes;
    ({ secret, codes } = await setPasswordWithCodes(member));
    expect((await signIn(before[0] ?? '')).status).toBe(401);
    // A server of the previous version, which does not support recovery codes, would set a password like this.
    await query(`update user_passwords set created_at = created_at + interval '1 second'`);
    expect((await member.get('/portal/account')).text).toContain('0 recovery codes left');
    expect((await signIn(codeAt(0))).status).toBe(401);
  });

  it('need somebody who has signed in a short while ago, from our own page', async () => {
    expect((await member.post('/portal/recovery-codes', {}, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    const visitor = newVisitor();
    expect((await visitor.post('/portal/recovery-codes')).location).toBe('/portal/sign-in');
    await signIn(codeAt(0), {}, visitor);
    await query(`update user_sessions set created_at = created_at - interval '16 minutes'
      where id = (select id from user_sessions order by created_at desc limit 1)`);
    expect((await visitor.post('/portal/recovery-codes')).status).toBe(403);
    expect((await signIn(codeAt(1))).status).toBe(303);
  });

  it('are for those who have a password', async () => {
    const { visitor } = await welcomeProven(vault, tenant);
    const answer = await visitor.post('/portal/recovery-codes');
    expect([answer.status, codesIn(answer)]).toEqual([400, []]);
  });

  it('are offered in time', async () => {
    for (let used = 0; used < 7; used += 1) expect((await signIn(codeAt(used))).status).toBe(303);
    expect((await member.get('/portal/account')).text).toMatch(/role="alert">You have 3 recovery codes left/);
  });
});
