import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApprovalDecisions } from '../../src/features/approvals/index.ts';
import { createApprovals } from '../../src/app/wiring/approval-wiring.ts';
import { findUnapproving } from '../../src/app/doctor/approval-advice.ts';
import { parseTenantId } from '../../src/core/identity/ids.ts';
import { SettingSwitch } from '../../src/features/tenants/index.ts';
import { approvalIn, FourEyesTenant, type Person, requestIn, reveal } from '../harness/four-eyes.ts';
import { signInProven } from '../harness/portal-people.ts';
import { TestVault } from '../harness/test-vault.ts';

/**
 * Between a request and its approval, people leave, keys are revoked, rights change and requests expire. An earlier
 * approval must then have no effect, and the log must show who made the request.
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

const makeMasked = async () => {
  const masked = { name: 'Masked', type: 'private', rules: [{ ...reveal(), transform: 'mask' }] };
  const answer = await here.byKey('POST', '/applications', masked);
  expect(answer.status).toBe(201);
  return { id: String(answer.body['id']), key: String(answer.body['key']) };
};

it('the log says of whoever asked, and of each who approved, that they gave access', async () => {
  const { id } = await makeMasked();
  const asked = await here.byKey('PUT', `/applications/${id}`, { name: 'Masked', rules: [reveal()] });
  expect(asked.status).toBe(202);
  await here.approveByTwo(requestIn(asked));
  const handedOut = async (subject: string) => {
    const { body } = await here.byKey('GET', `/logs/exposure?${subject}`);
    const lines = body['handed_out'] as { entity_id: string; entity_type: string; operation: string }[];
    return lines.filter((line) => line.entity_id === id).map((line) => `${line.entity_type} ${line.operation}`);
  };
  expect(await handedOut(`application_id=${await here.idOf('management')}`)).toContain('application request');
  expect(await handedOut(`user_id=${ann.userId}`)).toEqual(['application approve']);
  expect(await handedOut(`user_id=${ben.userId}`)).toContain('application approve');
});

describe('what was approved is not put into force', () => {
  const refusedAs = (text: string) => ({ status: 403, text: expect.stringContaining(text) });

  it('if whoever asked is no longer a member', async () => {
    const { person, asked } = await askAs();
    await vault.database.owner.query('delete from members where id = $1', [person.memberId]);
    expect(await here.decide(ben, 'approve', requestIn(asked))).toMatchObject(refusedAs('lost the right'));
    expect(await here.reads(String(asked.body['key']), 'secret')).toBe(401);
  });

  it('if whoever asked only reads by now', async () => {
    const { person, asked } = await askAs();
    await vault.database.owner.query(`update members set role = 'READ_ONLY' where id = $1`, [person.memberId]);
    expect(await here.decide(ben, 'approve', requestIn(asked))).toMatchObject(
      refusedAs('Missing permission: application:create'),
    );
    expect(await here.reads(String(asked.body['key']), 'secret')).toBe(401);
  });

  it.each<[string, (ids: { application: string; key: string }) => Promise<unknown>]>([
    [
      'the key was revoked',
      ({ key }) => vault.database.owner.query('delete from application_keys where id = $1', [key]),
    ],
    [
      'the application expired',
      ({ application }) =>
        vault.database.owner.query('update applications set expires_at = now() where id = $1', [application]),
    ],
    [
      'the application lost the permission',
      ({ application }) =>
        vault.database.owner.query(`update applications set permissions = '{application:read}' where id = $1`, [
          application,
        ]),
    ],
    [
      'the application got a limit',
      ({ application }) =>
        vault.database.owner.query(
          `update applications set grant_limit = '{"permissions":["token:read"],"containers":["/"],"transform":"mask"}' where id = $1`,
          [application],
        ),
    ],
    [
      'the application was deleted',
      ({ application }) => vault.database.owner.query('delete from applications where id = $1', [application]),
    ],
  ])('if %s that asked', async (_name, happens) => {
    const manager = await here.byKey('POST', '/applications', {
      name: 'Manager',
      type: 'management',
      permissions: ['application:create', 'application:read'],
    });
    await here.approveByTwo(requestIn(manager));
    const settings = { name: 'By it', type: 'private', rules: [reveal()] };
    const asked = await here.byKey('POST', '/applications', settings, String(manager.body['key']));
    expect(asked.status).toBe(202);
    const [{ id: key }] = manager.body['keys'] as [{ id: string }];
    await happens({ application: String(manager.body['id']), key });
    expect((await here.decide(ben, 'approve', requestIn(asked))).status).toBe(303);
    expect((await here.decide(cat, 'approve', requestIn(asked))).status).toBe(403);
    expect(await here.reads(String(asked.body['key']), 'secret')).toBe(401);
  });

  it('if the application was changed behind it', async () => {
    const { id, key } = await makeMasked();
    const asked = await here.by(ann, 'PUT', `/applications/${id}`, { name: 'Wider', rules: [reveal()] });
    await vault.database.owner.query(`update applications set permissions = '{token:delete}' where id = $1`, [id]);
    expect(await here.decide(ben, 'approve', requestIn(asked))).toMatchObject(refusedAs('has been changed since'));
    expect(await here.reads(key, 'secret')).toBe('****');
    expect(approvalIn(await here.by(ann, 'GET', `/applications/${id}`))).toMatchObject({ status: 'stale' });
  });

  async function askAs() {
    const { visitor, email } = await signInProven(vault, here.tenant);
    const { rows } = await vault.database.owner.query<{ id: string; user_id: string }>(
      'select m.id, m.user_id from members m join users u on u.id = m.user_id where u.email = $1',
      [email],
    );
    const person: Person = { visitor, email, memberId: rows[0]?.id ?? '', userId: rows[0]?.user_id ?? '' };
    const asked = await here.by(person, 'POST', '/applications', {
      name: 'Leaving',
      type: 'private',
      rules: [reveal()],
    });
    expect(asked.status).toBe(202);
    return { person, asked };
  }
});

describe('everything is recorded', () => {
  it('with who asked, who approved, and what changed', async () => {
    const made = await here.by(ann, 'POST', '/applications', {
      name: 'Noted',
      type: 'private',
      rules: [reveal('/pci/')],
    });
    await here.decide(ben, 'approve', requestIn(made));
    const records = (await vault.auditRecords(here.tenant.id)).filter(
      (record) => record['entity_id'] === made.body['id'],
    );
    const record = (operation: string) => records.find((one) => one['operation'] === operation);
    expect(records).toHaveLength(4);
    for (const [operation, actor] of [
      ['create', ann],
      ['request', ann],
      ['approve', ben],
      ['update', ben],
    ] as const) {
      expect(record(operation)).toMatchObject({ actor_id: actor.userId, actor_type: 'user', outcome: 'success' });
    }
    const [created, requested, approved, updated] = ['create', 'request', 'approve', 'update'].map((operation) =>
      JSON.parse(String(record(operation)?.['details'])),
    );
    const rule = 'rule added: /pci/ reveal token:read (priority 1)';
    expect(created).not.toHaveProperty('changes');
    expect(requested).toMatchObject({ changes: [rule] });
    expect(approved).toEqual({ requester: ann.userId });
    expect(updated).toMatchObject({ requester: ann.userId, changes: [rule] });
  });

  it('a refusal, and an attempt to use what is pending', async () => {
    const made = await here.by(ann, 'POST', '/applications', {
      name: 'Noted',
      type: 'private',
      rules: [reveal('/pci/')],
    });
    await here.reads(String(made.body['key']), 'secret');
    await here.decide(cat, 'refuse', requestIn(made));
    const records = await vault.auditRecords(here.tenant.id);
    expect(records).toContainEqual(
      expect.objectContaining({
        entity_id: made.body['id'],
        operation: 'refuse',
        actor_id: cat.userId,
        details: JSON.stringify({ requester: ann.userId }),
      }),
    );
    expect(records).toContainEqual(expect.objectContaining({ outcome: 'denied', actor_id: made.body['id'] }));
  });
});

describe('what nobody decides in time', () => {
  const end = (id: string) =>
    vault.database.owner.query(`update approval_requests set expires_at = now() where id = $1`, [id]);
  const sweep = () => {
    const tenantId = parseTenantId(here.tenant.id);
    const decisions: ApprovalDecisions = createApprovals(vault.server.core, '');
    return vault.server.core.database.forTenant(tenantId, (tx) => decisions.sweep(tx, tenantId, 100));
  };
  const recordOf = async (id: unknown) =>
    (await vault.auditRecords(here.tenant.id)).find(
      (record) => record['entity_id'] === id && record['operation'] === 'expire',
    );

  it('is ended, recorded, and takes a new application with it', async () => {
    const made = await here.by(ann, 'POST', '/applications', { name: 'Late', type: 'private', rules: [reveal()] });
    await end(requestIn(made));
    await sweep();
    expect(await here.reads(String(made.body['key']), 'secret')).toBe(401);
    expect(await recordOf(made.body['id'])).toMatchObject({
      actor_type: 'system',
      details: JSON.stringify({ requester: ann.userId }),
    });
  });

  it('takes a new key with it, and leaves the application', async () => {
    const id = await here.idOf('reveal');
    const made = await here.by(ann, 'POST', `/applications/${id}/keys`);
    await end(requestIn(made));
    await sweep();
    expect(await here.reads(String(made.body['key']), 'secret')).toBe(401);
    expect(await here.reads(here.tenant.keys.reveal, 'secret')).toBe('Sensitive Value');
  });

  it('leaves an application that was to get more as it was', async () => {
    const { id, key } = await makeMasked();
    const asked = await here.by(ann, 'PUT', `/applications/${id}`, { name: 'Wider', rules: [reveal()] });
    await end(requestIn(asked));
    await sweep();
    expect(await here.reads(key, 'secret')).toBe('****');
    expect(approvalIn(await here.by(ann, 'GET', `/applications/${id}`))).toMatchObject({ status: 'expired' });
  });

  it('is forgotten after 90 days, as is what was decided', async () => {
    const { id } = await makeMasked();
    const asked = await here.by(ann, 'PUT', `/applications/${id}`, { name: 'Wider', rules: [reveal()] });
    await here.decide(ben, 'refuse', requestIn(asked));
    await vault.database.owner.query(
      `update approval_requests set decided_at = now() - interval '91 days' where id = $1`,
      [requestIn(asked)],
    );
    await sweep();
    expect((await here.by(ann, 'GET', `/applications/${id}`)).body).not.toHaveProperty('approval');
  });
});

describe('an operator', () => {
  it('is the way out of a tenant whose approvers are gone, and is recorded', async () => {
    const other = await FourEyesTenant.make(vault);
    await new SettingSwitch(vault.server.core.database).turn(
      parseTenantId(other.tenant.id),
      'approve_plaintext',
      false,
    );
    expect(await other.isDemanded()).toBe(false);
    const made = await other.byKey('POST', '/applications', { name: 'Free', type: 'private', rules: [reveal()] });
    expect(made.status).toBe(201);
    const records = await vault.auditRecords(other.tenant.id);
    expect(records).toContainEqual(
      expect.objectContaining({ operation: 'configure', actor_type: 'system', entity_id: other.tenant.id }),
    );
  });

  it('is advised to demand approvals in production tenants with several admins', async () => {
    const { database } = vault.server.core;
    const other = await FourEyesTenant.make(vault);
    expect(await findUnapproving(database)).not.toContain(other.tenant.id);
    await new SettingSwitch(database).turn(parseTenantId(other.tenant.id), 'approve_plaintext', false);
    expect(await findUnapproving(database)).toContain(other.tenant.id);
    const single = await vault.makeTenant('production');
    expect(await findUnapproving(database)).not.toContain(single.id);
  });
});
