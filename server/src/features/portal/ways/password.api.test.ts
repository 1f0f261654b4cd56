import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { untilPasses } from '../../../../test/harness/deadline.ts';
import { codeOf, goodPassword, setPassword, welcome, welcomeProven } from '../../../../test/harness/portal-people.ts';
import { fieldIn, PortalVisitor } from '../../../../test/harness/portal-visitor.ts';
import { type TestTenant, TestVault } from '../../../../test/harness/test-vault.ts';
import { SignInAttempts, sweepSignInsJob } from '../index.ts';

let vault: TestVault;
let tenant: TestTenant;
let member: PortalVisitor;
let email: string;
let secret: string;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  ({ visitor: member, email } = await welcomeProven(vault, tenant));
  secret = await setPassword(member);
});
beforeEach(async () => {
  await vault.database.owner.query('delete from sign_in_attempts');
  await forgetCodes();
});
afterAll(() => vault.stop());

const signIn = (form: Partial<Record<'email' | 'password' | 'code', string>> = {}, visitor = newVisitor()) =>
  visitor.post('/portal/sign-in', { email, password: goodPassword, code: codeOf(secret, 1), ...form });
const newVisitor = () => new PortalVisitor(vault.server.url);
/** Counts this many attempts, as if a password had been tried each time. */
async function countAttempts(times: number): Promise<void> {
  const { database, systemKeys } = vault.server.core;
  const attempts = new SignInAttempts({ database, systemKeys });
  const { rows } = await vault.database.owner.query<{ id: string }>('select id from users where email = $1', [email]);
  for (let attempt = 0; attempt < times; attempt += 1) await attempts.countAccount({ userId: rows[0]?.id ?? '' });
}
/** Resets the time step of the last accepted code, so that the code seems to be from long ago. */
const forgetCodes = () => vault.database.owner.query('update user_passwords set totp_step = 0');

describe('password and code', () => {
  it('let somebody in, whatever the case of the address, and the tenant is told', async () => {
    const visitor = newVisitor();
    const answer = await signIn({ email: email.toUpperCase() }, visitor);
    expect([answer.status, answer.location]).toEqual([303, '/portal/']);
    expect((await visitor.get('/portal/account')).text).toContain(email);
    const records = await vault.auditRecords(tenant.id);
    expect(records.at(-1)).toMatchObject({ entity_type: 'session', operation: 'sign_in', actor_type: 'user' });
  });

  it('are taken once: a code that was used is worth nothing, also several times at once', async () => {
    const code = codeOf(secret, 1);
    const answers = await Promise.all(Array.from({ length: 4 }, () => signIn({ code })));
    expect(answers.filter(({ status }) => status === 303)).toHaveLength(1);
    expect((await signIn({ code })).status).toBe(401);
    // An earlier code does not work either.
    expect((await signIn({ code: codeOf(secret) })).status).toBe(401);
  });

  it('are counted as denied if they are wrong, so that guesses raise an alert', async () => {
    const countDenied = async () => {
      const { text } = await vault.request('GET', '/metrics', { url: vault.server.adminUrl });
      return Number(/^strongroom_http_problems_total\{code="unauthenticated"\} (\d+)$/m.exec(text)?.[1]);
    };
    const before = await countDenied();
    await signIn({ password: `${goodPassword}.` });
    await signIn({ email: 'nobody@example.com' });
    await untilPasses(async () => expect(await countDenied()).toBe(before + 2));
  });

  it('refuse in the same words whatever was wrong, and the tenant is told where there is one', async () => {
    const texts = new Set<string>();
    const deniedBefore = (await vault.auditRecords(tenant.id)).filter(({ outcome }) => outcome === 'denied').length;
    const wrongs = [
      { password: `${goodPassword}.` },
      { code: '000000' },
      { code: '' },
      { email: 'nobody@example.com' },
      { email: '' },
    ];
    for (const wrong of wrongs) {
      const answer = await signIn(wrong);
      expect([wrong, answer.status, answer.headers.getSetCookie()]).toEqual([wrong, 401, []]);
      texts.add(/role="alert">([^<]*)</.exec(answer.text)?.[1] ?? '');
      expect(answer.text).not.toContain(goodPassword);
    }
    expect([...texts]).toEqual(['The e-mail address, password or code is incorrect.']);
    const denied = (await vault.auditRecords(tenant.id)).filter(({ outcome }) => outcome === 'denied');
    expect(denied.length - deniedBefore).toBe(3);
    expect(denied[0]).toMatchObject({ entity_type: 'session', operation: 'sign_in', actor_type: 'user' });
    expect(vault.logLines.join()).not.toContain(goodPassword);
  });

  it('are locked for half an hour by ten attempts, by whomever, and then not even the right ones count', async () => {
    await countAttempts(9);
    expect((await signIn({ code: '000000' })).status).toBe(401);
    const refused = await signIn();
    expect([refused.status, refused.headers.getSetCookie()]).toEqual([429, []]);
    expect((await signIn({ email: email.toUpperCase() })).status).toBe(429);
    await vault.database.owner.query(`update sign_in_attempts set started_at = started_at - interval '31 minutes'`);
    expect((await signIn()).status).toBe(303);
  });

  it('count again after a success', async () => {
    for (let round = 0; round < 2; round += 1) {
      await countAttempts(8);
      await forgetCodes();
      expect((await signIn()).status).toBe(303);
    }
  });

  it('are not compared at all where attempts cannot be counted', async () => {
    await vault.database.owner.query('alter table sign_in_attempts rename to gone');
    try {
      expect((await signIn()).status).toBe(500);
    } finally {
      await vault.database.owner.query('alter table gone rename to sign_in_attempts');
    }
    expect((await signIn()).status).toBe(303);
  });

  it('show the page of an invitation afterwards, and no other address', async () => {
    const invitation = '1'.repeat(44);
    const answer = await newVisitor().post('/portal/sign-in', {
      email,
      password: goodPassword,
      code: codeOf(secret, 1),
      invitation,
    });
    expect(answer.location).toBe(`/portal/invitations/${invitation}`);
    await forgetCodes();
    const led = await newVisitor().post('/portal/sign-in', {
      email,
      password: goodPassword,
      code: codeOf(secret, 1),
      invitation: '//evil.example',
    });
    expect(led.location).toBe('/portal/');
  });

  it('lead back to the page that was asked for, and nowhere else', async () => {
    const wanted = '/portal/audit?outcome=denied';
    const asked = await newVisitor().get(wanted);
    expect(asked.location).toBe(`/portal/sign-in?next=${encodeURIComponent(wanted)}`);
    expect((await newVisitor().get(asked.location ?? '')).text).toContain(`name="next" value="${wanted}"`);
    for (const [next, location] of [
      [wanted, wanted],
      ['//evil.example', '/portal/'],
      ['/portal/../x', '/portal/'],
    ] as const) {
      await forgetCodes();
      const visitor = newVisitor();
      const given = { email, password: goodPassword, code: codeOf(secret, 1), next };
      const refused = await visitor.post('/portal/sign-in', { ...given, password: 'not the password' });
      expect(refused.text.includes(`name="next" value="${wanted}"`)).toBe(next === wanted);
      expect((await visitor.post('/portal/sign-in', given)).location).toBe(location);
      expect((await visitor.get(`/portal/sign-in?next=${encodeURIComponent(next)}`)).location).toBe(location);
      const out = await visitor.post('/portal/sign-out', { next });
      expect(out.location).toBe(next === wanted ? asked.location : '/portal/sign-in');
    }
  });

  it('are stored as nothing that gives them away', async () => {
    const { rows } = await vault.database.owner.query<Record<string, unknown>>('select * from user_passwords');
    const text = JSON.stringify(rows.map((row) => Object.values(row).map(String)));
    expect(text).not.toContain(goodPassword);
    expect(text).not.toContain(secret);
  });
});

describe('setting a password', () => {
  async function begin() {
    const page = await member.post('/portal/password/begin');
    const [, secret = ''] = /<code id="key">([A-Z2-7]+)<\/code>/.exec(page.text) ?? [];
    return { sealed: fieldIn(page, 'sealed'), secret };
  }

  it('ends every other session of the user', async () => {
    const other = newVisitor();
    await signIn({}, other);
    expect(await other.isSignedIn()).toBe(true);
    const before = secret;
    secret = await setPassword(member);
    expect([await member.isSignedIn(), await other.isSignedIn()]).toEqual([true, false]);
    expect((await signIn({ code: codeOf(before, 1) })).status).toBe(401);
  });

  it.each([
    ['a short one', { password: 'x1'.repeat(5) + 'x' }],
    ['one that is too long', { password: 'x1'.repeat(101) }],
    ['a wrong code', { code: '000000' }],
  ])('refuses %s, says so and changes nothing', async (_, wrong) => {
    const { sealed, secret: fresh } = await begin();
    const answer = await member.post('/portal/password', {
      sealed,
      password: 'another good password 2',
      code: codeOf(fresh),
      ...wrong,
    });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('role="alert"');
    expect(fieldIn(answer, 'sealed')).toBe(sealed);
    expect((await signIn()).status).toBe(303);
  });

  it('takes what it began for itself only, and once', async () => {
    const { sealed, secret: fresh } = await begin();
    const form = { sealed, password: 'another good password 2', code: codeOf(fresh) };
    const altered = sealed.slice(0, 60) + (sealed[60] === 'A' ? 'B' : 'A') + sealed.slice(61);
    const { visitor: stranger } = await welcome(vault, tenant);
    expect((await stranger.post('/portal/password', form)).status).toBe(400);
    expect((await member.post('/portal/password', { ...form, sealed: altered })).status).toBe(400);
    expect((await member.post('/portal/password', { ...form, sealed: '' })).status).toBe(400);
    expect((await member.post('/portal/password', form)).status).toBe(200);
    expect((await member.post('/portal/password', form)).status).toBe(400);
    secret = await setPassword(member);
  });

  it('needs somebody who is signed in', async () => {
    const answer = await newVisitor().post('/portal/password/begin');
    expect([answer.status, answer.location]).toEqual([303, '/portal/sign-in']);
  });
});

describe('attempts', () => {
  it('are limited by address as well, whatever accounts are tried', async () => {
    const { database, systemKeys } = vault.server.core;
    const attempts = new SignInAttempts({ database, systemKeys });
    const count = (address: string) => attempts.countClient(address);
    for (let attempt = 0; attempt < 50; attempt += 1) await count('192.0.2.7');
    await expect(count('192.0.2.7')).rejects.toMatchObject({ status: 429 });
    await count('192.0.2.8');
    for (let attempt = 0; attempt < 50; attempt += 1) await count(`2001:db8:1:2::${attempt}`);
    await expect(count('2001:db8:1:2:3:4:5:6')).rejects.toMatchObject({ status: 429 });
    await count('2001:db8:1:3::1');
    const { rows } = await vault.database.owner.query('select from sign_in_attempts');
    // A client that is rejected adds no rows to the table.
    expect(rows.length).toBeLessThanOrEqual(50 + 1 + 50 + 1 + 4);
  });
});

describe('the sweep', () => {
  it('removes what counts for nothing any more, and nothing else', async () => {
    const { owner } = vault.database;
    await owner.query(`update user_sessions set created_at = now() - interval '13 hours'`);
    await owner.query(
      `insert into sign_in_attempts values ('\\x00', 1, now() - interval '31 minutes'), ('\\x01', 1, now() - interval '29 minutes')`,
    );
    await owner.query(`insert into spent_ceremonies values (gen_random_uuid(), now() - interval '1 second')`);
    const { visitor } = await welcome(vault, tenant);
    await sweepSignInsJob(vault.server.core.database).run({});
    expect([await visitor.isSignedIn(), await member.isSignedIn()]).toEqual([true, false]);
    const { rows } = await owner.query<{ attempts: number; sessions: number }>(
      `select (select count(*)::integer from sign_in_attempts where subject_hash in ('\\x00', '\\x01')) as attempts,
        (select count(*)::integer from user_sessions where created_at < now() - interval '12 hours') as sessions`,
    );
    expect(rows).toEqual([{ attempts: 1, sessions: 0 }]);
  });
});
