import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FourEyesTenant, type Person, requestIn, reveal } from '../harness/four-eyes.ts';
import { welcome } from '../harness/portal-people.ts';
import type { PortalVisitor } from '../harness/portal-visitor.ts';
import { TestVault } from '../harness/test-vault.ts';

/**
 * Approvals combined with other features that affect rights: sign-in methods, limits of management applications, and
 * deleted tenants.
 */
let vault: TestVault;
let here: FourEyesTenant;
let [ann, ben]: readonly [Person, Person] = [] as never;
beforeAll(async () => {
  vault = await TestVault.start();
  here = await FourEyesTenant.make(vault);
  [ann, ben] = here.people;
});
afterAll(() => vault.stop());

const wide = (name: string) => ({ name, type: 'private', rules: [reveal()] });
const pend = async (name: string) => {
  const answer = await here.by(ann, 'POST', '/applications', wide(name));
  expect(answer.status).toBe(202);
  return { id: String(answer.body['id']), request: requestIn(answer) };
};
const limited = async (...more: string[]) => {
  const answer = await here.byKey('POST', '/applications', {
    name: 'Limited',
    type: 'management',
    permissions: ['application:create', 'application:read', ...more],
    grant_limit: { permissions: ['token:create'], containers: ['/a/'], transform: 'mask' },
  });
  if (answer.status === 202) await here.approveByTwo(requestIn(answer));
  return String(answer.body['key']);
};

describe('a session that began with a link', () => {
  let visitor: PortalVisitor;
  beforeAll(async () => {
    ({ visitor } = await welcome(vault, here.tenant));
  });

  it('does not see what awaits approval', async () => {
    await pend('Unseen');
    expect((await visitor.get('/portal/approvals')).text).not.toContain('Unseen');
  });

  it.each(['approve', 'refuse'] as const)('cannot %s it', async (verb) => {
    const { id, request } = await pend('Undecided');
    expect((await here.decide({ visitor }, verb, request)).status).toBe(403);
    expect(await here.rightsOf(id)).toMatchObject({ permissions: [], rules: [] });
  });
});

describe('a session that began with a weak password', () => {
  it.each(['approve', 'refuse'] as const)('cannot %s what awaits approval', async (verb) => {
    const { id, request } = await pend('Weak');
    const { owner } = vault.database;
    await owner.query('update user_sessions set has_weak_password = true where user_id = $1', [ben.userId]);
    expect((await here.decide(ben, verb, request)).status).toBe(403);
    await owner.query('update user_sessions set has_weak_password = false where user_id = $1', [ben.userId]);
    expect(await here.rightsOf(id)).toMatchObject({ permissions: [], rules: [] });
  });
});

describe('a limited management key', () => {
  it('gets no key of an application whose rights are not known yet', async () => {
    const key = await limited();
    const { id } = await pend('Early');
    expect((await here.byKey('POST', `/applications/${id}/keys`, undefined, key)).status).toBe(403);
  });

  it('neither changes nor deletes an application that is to have more than it may grant', async () => {
    const key = await limited('application:update', 'application:delete');
    const { id } = await pend('Kept');
    const narrow = { name: 'Kept', permissions: ['token:create'] };
    expect((await here.byKey('PUT', `/applications/${id}`, narrow, key)).status).toBe(403);
    expect((await here.byKey('DELETE', `/applications/${id}`, undefined, key)).status).toBe(403);
    expect((await here.byKey('GET', `/applications/${id}`)).body).toMatchObject({ approval: { status: 'pending' } });
  });
});

describe('a new application', () => {
  it('has no key but its first until it is approved', async () => {
    const { id } = await pend('Single');
    expect((await here.by(ben, 'POST', `/applications/${id}/keys`)).status).toBe(403);
  });

  it('keeps the limit that it is to have when it is renamed', async () => {
    const grant_limit = { permissions: ['token:read'], containers: ['/a/'], transform: 'reveal' };
    const body = { name: 'Deputy', permissions: ['application:create'] };
    const made = await here.by(ann, 'POST', '/applications', { ...body, type: 'management', grant_limit });
    expect(made.status).toBe(202);
    const renamed = await here.by(ann, 'PUT', `/applications/${String(made.body['id'])}`, { ...body, name: 'Renamed' });
    expect(renamed).toMatchObject({ status: 202, body: { grant_limit } });
  });
});

describe('somebody with many requests', () => {
  it('does not push those of others off the page', async () => {
    await pend('Of Ann');
    for (let count = 0; count < 50; count += 1) await here.byKey('POST', '/applications', wide(`Flood ${count}`));
    expect((await ben.visitor.get('/portal/approvals')).text).toContain('Of Ann');
  });
});

describe('a tenant that is deleted', () => {
  it('approves nothing', async () => {
    const { id, request } = await pend('Too late');
    await vault.database.owner.query('update tenants set deleted_at = now() where id = $1', [here.tenant.id]);
    expect((await here.decide(ben, 'approve', request)).status).not.toBe(303);
    await vault.database.owner.query('update tenants set deleted_at = null where id = $1', [here.tenant.id]);
    expect(await here.rightsOf(id)).toMatchObject({ permissions: [], rules: [] });
  });
});
