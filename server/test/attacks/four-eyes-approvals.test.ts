import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ApiAnswer, approvalIn, FourEyesTenant, type Person, requestIn, reveal } from '../harness/four-eyes.ts';
import { welcome } from '../harness/portal-people.ts';
import { TestVault } from '../harness/test-vault.ts';

/**
 * A request that widens access to plaintext is only as good as its approvals. It matters who approved, how they signed
 * in, and whether the effect is still what they approved.
 */
let vault: TestVault;
let here: FourEyesTenant;
let [ann, ben, cat]: readonly [Person, Person, Person] = [] as never;
beforeAll(async () => {
  vault = await TestVault.start();
  here = await FourEyesTenant.make(vault);
  [ann, ben, cat] = here.people;
  const body = { id: 'secret', type: 'token', data: 'Sensitive Value', mask: '****', containers: ['/pci/'] };
  expect((await vault.request('POST', '/tokens', { key: here.tenant.keys.private, body })).status).toBe(201);
});
afterAll(() => vault.stop());

type Asker = 'a member' | 'a management key';
const askers: readonly Asker[] = ['a member', 'a management key'];
const ask = (who: Asker, method: string, path: string, body?: unknown) =>
  who === 'a member' ? here.by(ann, method, path, body) : here.byKey(method, path, body);
/** Approves a request by everybody who is needed in addition to the requester. */
const approve = async (who: Asker, answer: ApiAnswer) => {
  const approvers = who === 'a member' ? [ben] : [ben, cat];
  for (const person of approvers) expect((await here.decide(person, 'approve', requestIn(answer))).status).toBe(303);
};

describe('an approval', () => {
  let made: ApiAnswer;
  let key: string;
  beforeEach(async () => {
    made = await here.by(ann, 'POST', '/applications', { name: 'Wanted', type: 'private', rules: [reveal('/pci/')] });
    key = String(made.body['key']);
  });
  const stillPending = async () => {
    expect(await here.reads(key, 'secret')).toBe(403);
    expect(approvalIn(await here.by(ann, 'GET', `/applications/${String(made.body['id'])}`))).toMatchObject({
      status: 'pending',
    });
  };

  it('of whoever asked counts for nothing', async () => {
    const answer = await here.decide(ann, 'approve', requestIn(made));
    expect(answer).toMatchObject({ status: 403, text: expect.stringContaining('You requested this change yourself') });
    await stillPending();
  });

  it('of one person is not enough for what a management key asks, whoever has that key', async () => {
    const asked = await here.byKey('POST', '/applications', { name: 'By key', type: 'private', rules: [reveal()] });
    expect((await here.decide(ann, 'approve', requestIn(asked))).status).toBe(303);
    expect((await here.decide(ann, 'approve', requestIn(asked))).status).toBe(403);
    expect(await here.reads(String(asked.body['key']), 'secret')).toBe(403);
    expect((await here.decide(ben, 'approve', requestIn(asked))).status).toBe(303);
    expect(await here.reads(String(asked.body['key']), 'secret')).toBe('Sensitive Value');
  });

  it('ends with the role of whoever gave it', async () => {
    const asked = await here.byKey('POST', '/applications', { name: 'By key', type: 'private', rules: [reveal()] });
    expect((await here.decide(cat, 'approve', requestIn(asked))).status).toBe(303);
    await vault.database.owner.query(`update members set role = 'READ_ONLY' where id = $1`, [cat.memberId]);
    expect((await here.decide(ann, 'approve', requestIn(asked))).status).toBe(303);
    expect(await here.reads(String(asked.body['key']), 'secret')).toBe(403);
    await vault.database.owner.query(`update members set role = 'ADMIN' where id = $1`, [cat.memberId]);
  });

  it('needs a sign-in that proves who it is: a link is not enough', async () => {
    const { visitor } = await welcome(vault, here.tenant);
    expect(await here.decide({ visitor }, 'approve', requestIn(made))).toMatchObject({
      status: 403,
      text: expect.stringContaining('passkey'),
    });
    await stillPending();
  });

  it('needs a recent sign-in', async () => {
    await vault.database.owner.query(
      `update user_sessions set created_at = created_at - interval '16 minutes' where user_id = $1`,
      [ben.userId],
    );
    expect((await here.decide(ben, 'approve', requestIn(made))).status).toBe(403);
    await vault.database.owner.query(
      `update user_sessions set created_at = created_at + interval '16 minutes' where user_id = $1`,
      [ben.userId],
    );
    await stillPending();
  });

  it('needs a way to sign in that was there before the request', async () => {
    await vault.database.owner.query(
      `update user_sessions set proven_since = now() + interval '1 second' where user_id = $1`,
      [ben.userId],
    );
    expect(await here.decide(ben, 'approve', requestIn(made))).toMatchObject({
      status: 403,
      text: expect.stringContaining('set up after this change was requested'),
    });
    await vault.database.owner.query(
      `update user_sessions set proven_since = now() - interval '1 day' where user_id = $1`,
      [ben.userId],
    );
    await stillPending();
  });

  it.each<[string, string]>([
    ['joined after it was requested', `created_at = now() + interval '1 second'`],
    ['was promoted after it was requested', `modified_at = now() + interval '1 second'`],
    ['only reads', `role = 'READ_ONLY'`],
  ])('is not given by somebody who %s', async (_name, change) => {
    await vault.database.owner.query(`update members set ${change} where id = $1`, [ben.memberId]);
    expect((await here.decide(ben, 'approve', requestIn(made))).status).not.toBe(303);
    await vault.database.owner.query(
      `update members set role = 'ADMIN', modified_at = null, created_at = now() - interval '1 day' where id = $1`,
      [ben.memberId],
    );
    await stillPending();
  });

  it('is not given by an admin of another tenant', async () => {
    const other = await FourEyesTenant.make(vault);
    const [stranger] = other.people;
    expect((await here.decide(stranger, 'approve', requestIn(made))).status).toBe(404);
    expect((await other.decide(stranger, 'approve', requestIn(made))).status).toBe(404);
    expect((await stranger.visitor.get('/portal/approvals')).text).not.toContain(requestIn(made));
    await stillPending();
  });

  it('is not given by a page of another site', async () => {
    const form = { tenant: here.tenant.id, request: requestIn(made) };
    const crossSite = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example.com' };
    expect((await ben.visitor.post('/portal/approvals/approve', form, crossSite)).status).toBe(403);
    await stillPending();
  });

  it('after 72 hours is too late', async () => {
    await vault.database.owner.query('update approval_requests set expires_at = now() where id = $1', [
      requestIn(made),
    ]);
    expect((await here.decide(ben, 'approve', requestIn(made))).status).toBe(403);
    expect(await here.reads(key, 'secret')).toBe(403);
    const shown = await here.by(ann, 'GET', `/applications/${String(made.body['id'])}`);
    expect(approvalIn(shown)).toMatchObject({ status: 'expired' });
    expect(shown.body).toMatchObject({ rules: [] });
  });

  it('after a refusal is too late', async () => {
    expect((await here.decide(cat, 'refuse', requestIn(made))).status).toBe(303);
    expect((await here.decide(ben, 'approve', requestIn(made))).status).toBe(403);
    expect(await here.reads(key, 'secret')).toBe(401);
  });

  it('of something that was deleted is of no use', async () => {
    expect((await here.by(ann, 'DELETE', `/applications/${String(made.body['id'])}`)).status).toBe(204);
    expect((await here.decide(ben, 'approve', requestIn(made))).status).toBe(404);
  });

  it('counts once, however many give it at the same time', async () => {
    const answers = await Promise.all(
      [ben, cat, ben, cat].map((person) => here.decide(person, 'approve', requestIn(made))),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([303, 403, 403, 403]);
    expect(await here.reads(key, 'secret')).toBe('Sensitive Value');
    const { rows } = await vault.database.owner.query('select from approval_votes where request_id = $1', [
      requestIn(made),
    ]);
    expect(rows).toHaveLength(1);
  });

  it('beside a change of the same thing either counts or does not, and nothing fails', async () => {
    const path = `/applications/${String(made.body['id'])}`;
    const narrow = { name: 'Narrow', rules: [{ ...reveal(), transform: 'mask' }] };
    const [decided, changed] = await Promise.all([
      here.decide(ben, 'approve', requestIn(made)),
      here.by(ann, 'PUT', path, narrow),
    ]);
    expect([303, 404]).toContain(decided.status);
    expect(changed.status).toBe(200);
    expect(await here.reads(key, 'secret')).toBe('****');
  });
});

describe('a flood of requests', () => {
  it('of one key ends before it keeps others from asking', async () => {
    const other = await FourEyesTenant.make(vault);
    const settings = { name: 'Flood', type: 'private', rules: [reveal()], create_key: false };
    const statuses: number[] = [];
    for (let count = 0; count < 51; count += 1) {
      statuses.push((await other.byKey('POST', '/applications', settings)).status);
    }
    expect(statuses.filter((status) => status === 202)).toHaveLength(50);
    expect(statuses.at(-1)).toBe(400);
    expect((await other.by(other.people[0], 'POST', '/applications', settings)).status).toBe(202);
  });
});

describe('without the setting', () => {
  it('nothing is pending', async () => {
    const other = await vault.makeTenant('production');
    const body = { name: 'Free', type: 'private', rules: [reveal()] };
    const made = await vault.request('POST', '/applications', { key: other.keys.management, body });
    expect(made.status).toBe(201);
    expect(made.body).not.toHaveProperty('approval');
  });
});

describe('whoever decides', () => {
  it('sees who asks, what it would allow, and exactly what changes', async () => {
    const settings = { name: 'Payouts <b>', type: 'private', rules: [reveal('/pci/')] };
    const made = await here.by(ann, 'POST', '/applications', settings);
    const { text } = await ben.visitor.get('/portal/approvals');
    for (const part of [
      'New private application “Payouts &lt;b&gt;”',
      'It could read the plaintext of tokens in /pci/.',
      'rule added: /pci/ reveal token:read (priority 1)',
      ann.email,
      '0 of 1',
      requestIn(made),
    ])
      expect(text).toContain(part);
  });

  it('is not offered to approve what they have requested', async () => {
    await here.by(cat, 'POST', '/applications', { name: 'Own', type: 'private', rules: [reveal()] });
    const { text } = await cat.visitor.get('/portal/approvals');
    expect(text).toContain('another owner or admin has to approve it');
    expect(text).toContain('Withdraw');
  });

  it('has to be an owner or admin: others see nothing and refuse nothing', async () => {
    const made = await here.by(ann, 'POST', '/applications', { name: 'Hidden', type: 'private', rules: [reveal()] });
    const { visitor, email } = await welcome(vault, here.tenant);
    await vault.database.owner.query(
      `update members m set role = 'READ_ONLY' from users u where u.id = m.user_id and u.email = $1`,
      [email],
    );
    expect((await visitor.get('/portal/approvals')).text).not.toContain(requestIn(made));
    expect((await here.decide({ visitor }, 'refuse', requestIn(made))).status).toBe(404);
  });
});

describe('the demand itself', () => {
  it.each(askers)('is not turned off by %s alone', async (who) => {
    const off = { name: 'Renamed', settings: { approve_plaintext: 'false', color: 'blue' } };
    const asked = await ask(who, 'PUT', '/tenants/self', off);
    expect(asked).toMatchObject({
      status: 202,
      body: {
        name: 'Renamed',
        settings: { approve_plaintext: 'true', color: 'blue' },
        approval: { status: 'pending' },
      },
    });
    expect(await here.isDemanded()).toBe(true);
    expect(
      (await ask(who, 'POST', '/applications', { name: 'Early', type: 'private', rules: [reveal()] })).status,
    ).toBe(202);
    await approve(who, asked);
    expect(await here.isDemanded()).toBe(false);
    expect(
      (await ask(who, 'PUT', '/tenants/self', { name: 'On', settings: { approve_plaintext: 'true' } })).status,
    ).toBe(200);
    expect(await here.isDemanded()).toBe(true);
  });

  it('is not turned off by an approval that was withdrawn', async () => {
    const asked = await here.by(ann, 'PUT', '/tenants/self', { name: 'Off', settings: { approve_plaintext: 'false' } });
    await here.by(ann, 'PUT', '/tenants/self', { name: 'On', settings: { approve_plaintext: 'true' } });
    expect((await here.decide(ben, 'approve', requestIn(asked))).status).toBe(404);
    expect(await here.isDemanded()).toBe(true);
  });

  it.each(['TRUE', 'yes', '1', ''])('takes no value such as %j, which would protect nothing', async (value) => {
    const body = { name: 'X', settings: { approve_plaintext: value } };
    expect((await here.byKey('PUT', '/tenants/self', body)).status).toBe(400);
  });
});
