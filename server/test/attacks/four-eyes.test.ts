import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listQueued } from '../harness/queued-jobs.ts';
import { type ApiAnswer, approvalIn, FourEyesTenant, type Person, requestIn, reveal } from '../harness/four-eyes.ts';
import { welcome } from '../harness/portal-people.ts';
import { TestVault } from '../harness/test-vault.ts';

/**
 * A single owner, admin or management key could give itself access to plaintext: through an application that reveals, a
 * wider rule, another key or a second account. With `approve_plaintext`, none of these takes effect before a second
 * person has approved it.
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
const ask = (who: Asker, method: string, path: string, body?: unknown) =>
  who === 'a member' ? here.by(ann, method, path, body) : here.byKey(method, path, body);
/** Approves a request by everybody who is needed in addition to the requester. */
const approve = async (who: Asker, answer: ApiAnswer) => {
  const approvers = who === 'a member' ? [ben] : [ben, cat];
  for (const person of approvers) expect((await here.decide(person, 'approve', requestIn(answer))).status).toBe(303);
};
const masked = (name: string) => ({
  name,
  type: 'private',
  rules: [{ ...reveal(), transform: 'mask' }],
});
const makeMasked = async () => {
  const answer = await here.byKey('POST', '/applications', masked('Masked'));
  expect(answer.status).toBe(201);
  return { id: String(answer.body['id']), key: String(answer.body['key']) };
};
const permissions = (...names: string[]) => ({ permissions: names });

const wide: [string, Record<string, unknown>][] = [
  ['reveals all', { type: 'private', rules: [reveal()] }],
  ['reveals one container', { type: 'private', rules: [reveal('/pci/')] }],
  ['searches plaintext', { type: 'private', rules: [{ ...reveal(), permissions: ['token:search'] }] }],
  ['updates and sees plaintext', { type: 'private', rules: [{ ...reveal(), permissions: ['token:update'] }] }],
  ['uses plaintext in a rule', { type: 'private', rules: [{ ...reveal(), permissions: ['token:use'] }] }],
  ['uses plaintext', { type: 'private', ...permissions('token:use') }],
  ['uses plaintext, by its other name', { type: 'private', ...permissions('proxy:invoke') }],
  ['puts views over data', { type: 'private', ...permissions('token:update') }],
  ['moves tokens', { type: 'private', rules: [{ ...reveal(), transform: 'mask', permissions: ['token:update'] }] }],
  ['updates from pages', { type: 'public', ...permissions('token:update') }],
  [
    'hides plaintext behind what is masked',
    { type: 'private', rules: [reveal('/pci/'), { ...reveal(), priority: 2, transform: 'mask' }] },
  ],
  ['creates applications', { type: 'management', ...permissions('application:create') }],
  ['changes applications', { type: 'management', ...permissions('application:update') }],
  ['invites', { type: 'management', ...permissions('tenant:invitation:create') }],
  ['changes roles', { type: 'management', ...permissions('tenant:member:update') }],
  [
    'has a limit that reveals',
    {
      type: 'management',
      ...permissions('application:create'),
      grant_limit: { permissions: ['token:read'], containers: ['/'], transform: 'reveal' },
    },
  ],
];
const askers: readonly Asker[] = ['a member', 'a management key'];
const each = <Case extends readonly unknown[]>(cases: readonly Case[]) =>
  askers.flatMap((who) => cases.map((one) => [who, ...one] as const));

describe('a new application', () => {
  it.each(each(wide))('that %s asks for and %s is pending and can do nothing', async (who, _name, settings) => {
    const made = await ask(who, 'POST', '/applications', { name: 'New', ...settings });
    expect(made.status).toBe(202);
    expect(approvalIn(made)).toEqual({
      id: expect.any(String),
      status: 'pending',
      requested_by: who === 'a member' ? ann.userId : await here.idOf('management'),
      requested_at: expect.any(String),
      expires_at: expect.any(String),
      approvals_needed: who === 'a member' ? 1 : 2,
      approvals_given: 0,
    });
    expect(await here.rightsOf(String(made.body['id']))).toMatchObject({
      permissions: [],
      rules: [],
      grant_limit: null,
    });
    const refused = await here.byKey('GET', '/applications/key', undefined, String(made.body['key']));
    expect(refused).toMatchObject({ status: 403, body: { detail: expect.stringContaining('awaits approval') } });
    expect((await here.decide(ann, 'refuse', requestIn(made))).status).toBe(303);
    expect((await ask(who, 'GET', `/applications/${String(made.body['id'])}`)).status).toBe(404);
  });

  it.each(askers)('of %s works as requested once it is approved', async (who) => {
    const made = await ask(who, 'POST', '/applications', { name: 'Reader', type: 'private', rules: [reveal('/pci/')] });
    const key = String(made.body['key']);
    expect(await here.reads(key, 'secret')).toBe(403);
    await approve(who, made);
    expect(await here.reads(key, 'secret')).toBe('Sensitive Value');
    const shown = await ask(who, 'GET', `/applications/${String(made.body['id'])}`);
    expect(approvalIn(shown)).toMatchObject({
      status: 'approved',
      approved_by: who === 'a member' ? ben.userId : cat.userId,
    });
  });

  it('is shown with the rights that it would get', async () => {
    const made = await here.byKey('POST', '/applications', {
      name: 'Shown',
      type: 'private',
      rules: [reveal('/pci/')],
    });
    const rules = [expect.objectContaining({ container: '/pci/', transform: 'reveal' })];
    expect(made.body).toMatchObject({ rules, permissions: [] });
    const id = String(made.body['id']);
    expect((await here.byKey('GET', `/applications/${id}`)).body).toMatchObject({ rules });
    expect((await here.byKey('GET', '/applications')).body['data']).toContainEqual(
      expect.objectContaining({ id, rules }),
    );
  });

  it.each(
    each<[string, Record<string, unknown>]>([
      ['creates tokens', { type: 'private', ...permissions('token:create', 'token:delete') }],
      ['reads masked tokens', { type: 'private', ...permissions('token:read', 'token:search') }],
      ['collects cards', { type: 'public', ...permissions('token:create') }],
      ['reads the log', { type: 'management', ...permissions('log:read', 'application:read') }],
      ['deletes', { type: 'management', ...permissions('application:delete', 'tenant:member:delete') }],
    ]),
  )('that %s asks for and %s needs no approval', async (who, _name, settings) => {
    const made = await ask(who, 'POST', '/applications', { name: 'Harmless', ...settings });
    expect(made.status).toBe(201);
    expect(made.body['approval']).toBeUndefined();
  });
});

describe('an update', () => {
  const widenings: [string, Record<string, unknown>][] = [
    ['shows what was masked', { rules: [reveal()] }],
    ['shows one container', { rules: [reveal('/pci/'), { ...reveal(), priority: 2, transform: 'mask' }] }],
    ['adds use', { rules: [{ ...reveal(), transform: 'mask' }], ...permissions('token:use') }],
    ['adds views over data', { rules: [{ ...reveal(), transform: 'mask' }], ...permissions('token:update') }],
    ['takes rights away and adds plaintext', { rules: [{ ...reveal('/other/'), permissions: ['token:search'] }] }],
  ];
  it.each(each(widenings))('by %s that %s leaves in force what was', async (who, _name, settings) => {
    const { id, key } = await makeMasked();
    const before = await here.rightsOf(id);
    const changed = await ask(who, 'PUT', `/applications/${id}`, { name: 'Wider', ...settings });
    expect(changed).toMatchObject({ status: 202, body: { name: 'Masked', approval: { status: 'pending' } } });
    expect(await here.rightsOf(id)).toEqual(before);
    expect(await here.reads(key, 'secret')).toBe('****');
    await approve(who, changed);
    expect((await ask(who, 'GET', `/applications/${id}`)).body).toMatchObject({
      name: 'Wider',
      approval: { status: 'approved' },
    });
    expect(await here.rightsOf(id)).not.toEqual(before);
  });

  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    [
      'another destination',
      { ...permissions('token:use'), allowed_destinations: ['a.example.com'] },
      { ...permissions('token:use'), allowed_destinations: ['b.example.com'] },
    ],
    [
      'any destination',
      { ...permissions('token:use'), allowed_destinations: ['a.example.com'] },
      permissions('token:use'),
    ],
    [
      'a later end',
      { rules: [reveal()], expires_at: '2090-01-01T00:00:00Z' },
      { rules: [reveal()], expires_at: '2091-01-01T00:00:00Z' },
    ],
    ['no end', { rules: [reveal()], expires_at: '2090-01-01T00:00:00Z' }, { rules: [reveal()] }],
    ['a wider container', { rules: [reveal('/pci/high/')] }, { rules: [reveal('/pci/')] }],
    ['another container', { rules: [reveal('/pci/')] }, { rules: [reveal('/other/')] }],
    [
      'plaintext before masks',
      {
        rules: [
          { ...reveal('/pci/'), transform: 'mask' },
          { ...reveal(), priority: 2 },
        ],
      },
      { rules: [{ ...reveal('/pci/'), priority: 2, transform: 'mask' }, reveal()] },
    ],
  ])('of an application that sees plaintext, with %s, is pending', async (_name, first, second) => {
    const made = await here.byKey('POST', '/applications', { name: 'Seeing', type: 'private', ...first });
    await here.approveByTwo(requestIn(made));
    const path = `/applications/${String(made.body['id'])}`;
    const before = await here.rightsOf(String(made.body['id']));
    expect((await here.byKey('PUT', path, { name: 'Seeing', ...second })).status).toBe(202);
    expect(await here.rightsOf(String(made.body['id']))).toEqual(before);
  });

  it('brings no expired application back', async () => {
    const made = await here.byKey('POST', '/applications', { name: 'Over', type: 'private', rules: [reveal()] });
    await here.approveByTwo(requestIn(made));
    const path = `/applications/${String(made.body['id'])}`;
    const over = { name: 'Over', rules: [reveal()], expires_at: '2020-01-01T00:00:00Z' };
    expect((await here.byKey('PUT', path, over)).status).toBe(200);
    expect((await here.byKey('PUT', path, { ...over, expires_at: null })).status).toBe(202);
    expect(await here.reads(String(made.body['key']), 'secret')).toBe(401);
  });

  it('that narrows takes effect at once, and withdraws what was pending', async () => {
    const { id, key } = await makeMasked();
    const pending = await here.by(ann, 'PUT', `/applications/${id}`, { name: 'Wider', rules: [reveal()] });
    const narrow = { name: 'Narrow', rules: [{ ...reveal(), transform: 'redact' }] };
    expect((await here.by(ann, 'PUT', `/applications/${id}`, narrow)).status).toBe(200);
    expect((await here.decide(ben, 'approve', requestIn(pending))).status).toBe(404);
    expect(await here.reads(key, 'secret')).not.toBe('Sensitive Value');
  });

  it('takes the place of an earlier one: approving that is of no use', async () => {
    const { id, key } = await makeMasked();
    const first = await here.by(ann, 'PUT', `/applications/${id}`, { name: 'First', rules: [reveal()] });
    const second = await here.by(ann, 'PUT', `/applications/${id}`, { name: 'Second', rules: [reveal('/other/')] });
    expect((await here.decide(ben, 'approve', requestIn(first))).status).toBe(404);
    expect((await here.decide(ben, 'approve', requestIn(second))).status).toBe(303);
    expect(await here.reads(key, 'secret')).toBe(403);
  });
});

describe('a key', () => {
  it.each(askers)(
    'that %s issues for an application that sees plaintext is refused until it is approved',
    async (who) => {
      const path = `/applications/${await here.idOf('reveal')}/keys`;
      const made = await ask(who, 'POST', path);
      expect(made).toMatchObject({ status: 202, body: { approval: { status: 'pending' } } });
      const key = String(made.body['key']);
      expect(await here.reads(key, 'secret')).toBe(403);
      const { rows } = await vault.database.owner.query(
        'select secret_hash = pending_hash as same from application_keys where id = $1',
        [made.body['id']],
      );
      expect(rows).toEqual([{ same: false }]);
      await approve(who, made);
      expect(await here.reads(key, 'secret')).toBe('Sensitive Value');
      expect((await ask(who, 'GET', `${path}/${String(made.body['id'])}`)).body).toMatchObject({
        approval: { status: 'approved' },
      });
      expect((await ask(who, 'DELETE', `${path}/${String(made.body['id'])}`)).status).toBe(204);
    },
  );

  it('of a management application needs approval too', async () => {
    const path = `/applications/${await here.idOf('management')}/keys`;
    expect((await here.byKey('POST', path)).status).toBe(202);
    // An admin lacks some of its rights, and cannot grant them even with approval.
    expect((await here.by(ann, 'POST', path)).status).toBe(403);
  });

  it('of an application that sees none does not', async () => {
    expect((await here.by(ann, 'POST', `/applications/${await here.idOf('public')}/keys`)).status).toBe(201);
  });

  it('that is issued while more rights are pending does not get them unseen', async () => {
    const { id } = await makeMasked();
    const change = await here.by(ann, 'PUT', `/applications/${id}`, { name: 'Wider', rules: [reveal()] });
    const made = await here.by(cat, 'POST', `/applications/${id}/keys`);
    expect(made.status).toBe(202);
    expect((await here.decide(ben, 'approve', requestIn(change))).status).toBe(303);
    expect(await here.reads(String(made.body['key']), 'secret')).toBe(403);
    const stale = await here.decide(ben, 'approve', requestIn(made));
    expect(stale).toMatchObject({ status: 403, text: expect.stringContaining('no longer applies') });
    expect(await here.reads(String(made.body['key']), 'secret')).toBe(401);
  });

  it('authorizes no session before it is approved', async () => {
    const session = await here.byKey('POST', '/sessions', undefined, here.tenant.keys.public);
    const made = await here.by(ann, 'POST', `/applications/${await here.idOf('reveal')}/keys`);
    const grant = { nonce: session.body['nonce'], rules: [reveal()] };
    const authorized = await here.byKey('POST', '/sessions/authorize', grant, String(made.body['key']));
    expect(authorized.status).toBe(403);
    expect(await here.reads(String(session.body['session_key']), 'secret')).toBe(403);
  });

  it.each(['refuse', 'delete'] as const)('is gone after %s', async (way) => {
    const path = `/applications/${await here.idOf('reveal')}/keys`;
    const made = await here.by(ann, 'POST', path);
    if (way === 'refuse') await here.decide(ben, 'refuse', requestIn(made));
    else await here.by(ann, 'DELETE', `${path}/${String(made.body['id'])}`);
    expect(await here.reads(String(made.body['key']), 'secret')).toBe(401);
    expect((await here.decide(cat, 'approve', requestIn(made))).status).not.toBe(303);
  });

  it('shows its secret once: a repeated request does not show it again', async () => {
    const headers = { 'bt-idempotency-key': 'once' };
    const path = `/applications/${await here.idOf('reveal')}/keys`;
    const [first, again] = [
      await vault.request('POST', path, { key: here.tenant.keys.management, headers }),
      await vault.request('POST', path, { key: here.tenant.keys.management, headers }),
    ];
    expect([first.status, again.status]).toEqual([202, 202]);
    expect(first.body).toHaveProperty('key');
    expect(again.body).not.toHaveProperty('key');
    expect(again.body).toMatchObject({ approval: { status: 'pending' } });
  });
});

describe('a second account', () => {
  it.each(askers)('is not made by an invitation of %s', async (who) => {
    const email = `${crypto.randomUUID()}@example.com`;
    const made = await ask(who, 'POST', '/tenants/self/invitations', { email, role: 'ADMIN' });
    expect(made).toMatchObject({ status: 202, body: { approval: { status: 'pending' } } });
    const stored = async () =>
      (await vault.database.owner.query('select link_sealed from invitations where id = $1', [made.body['id']])).rows;
    expect(await stored()).toEqual([{ link_sealed: null }]);
    const jobs = await listQueued(vault.database.owner, 'mail-invitation');
    expect(jobs.filter(({ key }) => key === `mail-invitation:${String(made.body['id'])}`)).toEqual([]);
    const resent = await ask(who, 'POST', `/tenants/self/invitations/${String(made.body['id'])}/resend`);
    expect(resent.status).toBe(202);
    expect(await stored()).toEqual([{ link_sealed: null }]);
    await approve(who, resent);
    expect(await stored()).toEqual([{ link_sealed: expect.any(Buffer) }]);
  });

  it('that only reads needs no approval, and becomes no admin without', async () => {
    const email = `${crypto.randomUUID()}@example.com`;
    const made = await here.by(ann, 'POST', '/tenants/self/invitations', { email, role: 'READ_ONLY' });
    expect(made.status).toBe(201);
  });

  it('is not made of an invitation that was sent before approvals were demanded', async () => {
    const other = await vault.makeTenant('production');
    const body = { email: `${crypto.randomUUID()}@example.com`, role: 'ADMIN' };
    const sent = await vault.request('POST', '/tenants/self/invitations', { key: other.keys.management, body });
    expect(sent.status).toBe(201);
    const { id } = sent.body as { id: string };
    const path = await linkOf(other.id, id);
    const on = { name: 'Late', settings: { approve_plaintext: 'true' } };
    await vault.request('PUT', '/tenants/self', { key: other.keys.management, body: on });
    const accepted = await ann.visitor.at(vault.server.url).post(path);
    expect(accepted).toMatchObject({ status: 403, text: expect.stringContaining('second owner or admin') });
  });

  it.each(each([['ADMIN'], ['OWNER']] as [string][]))(
    'is not made by %s who promotes a member to %s',
    async (who, role) => {
      const reader = await makeReader();
      const asked =
        role === 'OWNER' && who === 'a member' ? undefined : await ask(who, 'PUT', memberPath(reader), { role });
      if (asked === undefined) {
        // This is reserved for the owner, and none of these people is the owner.
        expect((await here.by(ann, 'PUT', memberPath(reader), { role })).status).toBe(403);
        return;
      }
      expect(asked).toMatchObject({ status: 202, body: { role: 'READ_ONLY', approval: { status: 'pending' } } });
      expect(await here.roleOf(reader)).toBe('READ_ONLY');
      const owner = await ownerOf();
      await approve(who, asked);
      expect(await here.roleOf(reader)).toBe(role);
      if (role === 'OWNER')
        await vault.database.owner
          .query(`update members set role = case when id = $1 then 'OWNER' else 'READ_ONLY' end where id = any($2)`, [
            owner,
            [owner, reader.memberId],
          ])
          .catch(() => undefined);
    },
  );

  it('that was demoted at once does not come back alone', async () => {
    const reader = await makeReader();
    const up = await here.by(ann, 'PUT', memberPath(reader), { role: 'ADMIN' });
    await approve('a member', up);
    expect((await here.by(ann, 'PUT', memberPath(reader), { role: 'READ_ONLY' })).status).toBe(200);
    expect((await here.by(ann, 'PUT', memberPath(reader), { role: 'ADMIN' })).status).toBe(202);
    expect(await here.roleOf(reader)).toBe('READ_ONLY');
  });
});

async function linkOf(tenantId: string, id: string): Promise<string> {
  const { InvitationLinks, InvitationService } = await import('../../src/features/invitations/index.ts');
  const { parseTenantId } = await import('../../src/core/identity/ids.ts');
  const { database, audit, systemKeys } = vault.server.core;
  const links = new InvitationLinks({ systemKeys, publicUrl: '' });
  return (await new InvitationService({ database, audit, links }).showLink(parseTenantId(tenantId), id)) ?? '';
}

const memberPath = ({ memberId }: { memberId: string }) => `/tenants/self/members/${memberId}`;
async function ownerOf(): Promise<string> {
  const { rows } = await vault.database.owner.query<{ id: string }>(
    `select id from members where tenant_id = $1 and role = 'OWNER'`,
    [here.tenant.id],
  );
  return rows[0]?.id ?? '';
}
/** Creates a member with a read-only role. */
async function makeReader(): Promise<Pick<Person, 'visitor' | 'memberId' | 'userId' | 'email'>> {
  const { visitor, email } = await welcome(vault, here.tenant);
  const { rows } = await vault.database.owner.query<{ id: string; user_id: string }>(
    `update members m set role = 'READ_ONLY' from users u where u.id = m.user_id and u.email = $1 returning m.id, m.user_id`,
    [email],
  );
  return { visitor, email, memberId: rows[0]?.id ?? '', userId: rows[0]?.user_id ?? '' };
}
