import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { age, createToken, forgetUse } from '../../../../test/harness/aged-tokens.ts';
import { approvalIn, FourEyesTenant, requestIn } from '../../../../test/harness/four-eyes.ts';
import { createApplication } from '../../../../test/harness/test-application.ts';
import { type TestTenant, TestVault } from '../../../../test/harness/test-vault.ts';
import { rulesMax } from './retention-rule.ts';

let vault: TestVault;
let tenant: TestTenant;
beforeAll(async () => {
  vault = await TestVault.start();
});
beforeEach(async () => {
  tenant = await vault.makeTenant();
});
afterAll(() => vault.stop());

const manage = (method: string, path: string, body?: object, key = tenant.keys.management) =>
  vault.request(method, path, { key, ...(body === undefined ? {} : { body }) });
const preview = async (body: object) => (await manage('POST', '/retention-rules/preview', body)).body;
const create = (body: object = {}) => createToken(vault, tenant, { type: 'token', data: 'x', ...body });

describe('the preview of a rule', () => {
  it('counts what the rules would remove, and says since when', async () => {
    const ids = [await create(), await create(), await create()];
    await age(vault, ids.slice(0, 2), 40);
    const counted = (await preview({ keep_for_days: 30 })) as { tokens: number; due_since: string };
    expect(counted).toMatchObject({ tokens: 2, is_exact: true });
    expect(Math.abs(Date.parse(counted.due_since) - (Date.now() - 10 * 24 * 3_600_000))).toBeLessThan(60_000);
    expect(await preview({ keep_for_days: 50 })).toEqual({ tokens: 0, held_tokens: 0, is_exact: true });
    expect(await preview({ type: 'card', keep_for_days: 30 })).toEqual({ tokens: 0, held_tokens: 0, is_exact: true });
  });

  it('says how many more a legal hold keeps, which need not be confirmed', async () => {
    const ids = [await create({ containers: ['/a/'] }), await create({ containers: ['/a/'] }), await create()];
    await age(vault, ids, 40);
    await create({ containers: ['/a/'] });
    const made = await manage('POST', '/legal-holds', { reason: 'Audit', container: '/a/' });
    const wish = { keep_for_days: 30 };
    expect(await preview(wish)).toMatchObject({ tokens: 1, held_tokens: 2, is_exact: true });
    expect(await preview({ ...wish, container: '/b/' })).toMatchObject({ tokens: 0, held_tokens: 0 });
    expect((await manage('POST', '/retention-rules', { ...wish, confirmed_tokens: 1 })).status).toBe(201);
    await manage('POST', `/legal-holds/${(made.body as { id: string }).id}/lift`);
    expect(await preview(wish)).toMatchObject({ tokens: 3, held_tokens: 0 });
  });

  it('counts tokens that nobody uses, and none under a legal hold', async () => {
    const ids = [await create({ containers: ['/a/'] }), await create({ containers: ['/b/'] }), await create()];
    await age(vault, ids, 40);
    await forgetUse(vault, ids.slice(0, 2));
    expect(await preview({ keep_until_unused_for_days: 30 })).toMatchObject({ tokens: 2, is_exact: true });
    await manage('POST', '/legal-holds', { reason: 'Audit', container: '/a/' });
    const held = { tokens: 1, held_tokens: 1, is_exact: true };
    expect(await preview({ keep_until_unused_for_days: 30 })).toMatchObject(held);
  });

  it('must be confirmed before a rule exists, with at least the number that it counts', async () => {
    const ids = [await create(), await create()];
    await age(vault, ids, 40);
    const refused = await manage('POST', '/retention-rules', { keep_for_days: 30, confirmed_tokens: 1 });
    expect(refused.status).toBe(400);
    expect(refused.text).toContain('must be at least 2');
    expect((await manage('GET', '/retention-rules')).body).toEqual([]);
    expect((await manage('POST', '/retention-rules', { keep_for_days: 30 })).status).toBe(400);
    expect((await manage('POST', '/retention-rules', { keep_for_days: 30, confirmed_tokens: 2 })).status).toBe(201);
  });
});

describe('a rule', () => {
  it('is created, listed, shown and deleted, and each is recorded', async () => {
    const body = {
      container: '/PCI/',
      type: 'card',
      keep_for_days: 10,
      never_longer_than_days: 20,
      confirmed_tokens: 0,
    };
    const made = (await manage('POST', '/retention-rules', body)).body as { id: string };
    expect(made).toMatchObject({ container: '/pci/', type: 'card', keep_for_days: 10, never_longer_than_days: 20 });
    expect((await manage('GET', '/retention-rules')).body).toEqual([made]);
    expect((await manage('GET', `/retention-rules/${made.id}`)).body).toEqual(made);
    expect((await manage('DELETE', `/retention-rules/${made.id}`)).status).toBe(204);
    expect((await manage('DELETE', `/retention-rules/${made.id}`)).status).toBe(404);
    const records = (await vault.auditRecords(tenant.id)).filter(
      (record) => record['entity_type'] === 'retention_rule',
    );
    expect(records.map(({ operation }) => operation)).toEqual(['create', 'read', 'read', 'delete', 'update']);
    expect(records[0]?.['details']).toContain('keep for 10 days');
  });

  it.each([
    ['no period', { container: '/a/' }],
    ['zero days', { keep_for_days: 0 }],
    ['more than a hundred years', { keep_for_days: 36_501 }],
    ['a fraction', { keep_for_days: 1.5 }],
    ['a container that is none', { container: 'a', keep_for_days: 1 }],
    ['an unknown type', { type: 'cards', keep_for_days: 1 }],
  ])('is rejected with %s', async (_about, body) => {
    expect((await manage('POST', '/retention-rules', { ...body, confirmed_tokens: 0 })).status).toBe(400);
  });

  it('is limited in number, also when many are created at the same time', async () => {
    await vault.database.owner.query(
      `insert into retention_rules (tenant_id, id, keep_for_days) select $1, gen_random_uuid(), 100 from generate_series(2, $2)`,
      [tenant.id, rulesMax],
    );
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => manage('POST', '/retention-rules', { keep_for_days: 100, confirmed_tokens: 0 })),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 400, 400, 400]);
  });

  it('that shields tokens from another rule is only deleted once something else shields them', async () => {
    const rule = async (body: object, isInForce = true) => {
      const { id } = (await manage('POST', '/retention-rules', { confirmed_tokens: 100, ...body })).body as {
        id: string;
      };
      if (isInForce) await putIntoForce(id);
      return id;
    };
    const putIntoForce = (id: string) =>
      vault.database.owner.query(`update retention_rules set effective_at = now() - interval '1 hour' where id = $1`, [
        id,
      ]);
    const remove = async (id: string) => (await manage('DELETE', `/retention-rules/${id}`)).status;
    await create({ containers: ['/tax/'] });
    const longer = await rule({ container: '/tax/', keep_for_days: 3_650 });
    const general = await rule({ keep_for_days: 30 }, false);
    // The general rule was confirmed while the other one was in force.
    expect(await remove(longer)).toBe(400);
    await putIntoForce(general);
    expect(await remove(longer)).toBe(400);
    const next = await rule({ container: '/tax/', keep_for_days: 5_000 }, false);
    expect(await remove(longer)).toBe(400);
    await putIntoForce(next);
    expect(await remove(longer)).toBe(204);
    expect(await remove(next)).toBe(400);
    expect(await remove(general)).toBe(204);
    expect(await remove(next)).toBe(204);
    expect(await remove(await rule({ container: '/tax/', keep_for_days: 3_650 }, false))).toBe(204);
  });

  it('needs its own permission: neither tenant:update nor token:delete is enough', async () => {
    const body = { keep_for_days: 1, confirmed_tokens: 100 };
    const manager = await createApplication(vault, tenant, {
      name: 'Settings',
      type: 'management',
      permissions: ['tenant:read', 'tenant:update'],
    });
    for (const key of [manager.key, tenant.keys.private])
      expect((await manage('POST', '/retention-rules', body, key)).status).toBe(403);
  });
});

describe('in a tenant that requires approvals, a rule', () => {
  it('takes effect only after a second person has approved it, a day later', async () => {
    const here = await FourEyesTenant.make(vault);
    const [ann, ben] = here.people;
    const asked = await here.by(ann, 'POST', '/retention-rules', { keep_for_days: 30, confirmed_tokens: 0 });
    expect([asked.status, asked.body['effective_at']]).toEqual([202, undefined]);
    expect(approvalIn(asked)).toMatchObject({ status: 'pending', approvals_needed: 1 });
    expect((await here.decide(ann, 'approve', requestIn(asked))).status).toBe(403);
    expect((await here.decide(ben, 'approve', requestIn(asked))).status).toBe(303);
    const shown = await here.by(ann, 'GET', `/retention-rules/${String(asked.body['id'])}`);
    expect(Date.parse(String(shown.body['effective_at']))).toBeGreaterThan(Date.now() + 23 * 3_600_000);
  });

  it('disappears if it is refused', async () => {
    const here = await FourEyesTenant.make(vault);
    const [ann, ben] = here.people;
    const asked = await here.by(ann, 'POST', '/retention-rules', { keep_for_days: 30, confirmed_tokens: 0 });
    expect((await here.decide(ben, 'refuse', requestIn(asked))).status).toBe(303);
    expect((await here.by(ann, 'GET', `/retention-rules/${String(asked.body['id'])}`)).status).toBe(404);
  });
});
