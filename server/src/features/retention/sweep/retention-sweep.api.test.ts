import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { age, createToken, forgetUse, listStored } from '../../../../test/harness/aged-tokens.ts';
import { type TestTenant, TestVault } from '../../../../test/harness/test-vault.ts';
import { sweepRetentionJobs } from './sweep-retention-jobs.ts';

let vault: TestVault;
let tenant: TestTenant;
beforeAll(async () => {
  vault = await TestVault.start();
});
beforeEach(async () => {
  tenant = await vault.makeTenant();
});
afterAll(() => vault.stop());

const owner = () => vault.database.owner;
const sweep = async () => {
  const { database } = vault.server.core;
  for (const job of sweepRetentionJobs({ database, log: database })) await job.run(undefined);
};
const manage = (method: string, path: string, body?: object) =>
  vault.request(method, path, { key: tenant.keys.management, ...(body === undefined ? {} : { body }) });
/** Creates a rule that has been in force for a while. */
async function rule(body: object): Promise<string> {
  const answer = await manage('POST', '/retention-rules', { confirmed_tokens: 1_000, ...body });
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  const { id } = answer.body as { id: string };
  await owner().query(`update retention_rules set effective_at = now() - interval '1 hour' where id = $1`, [id]);
  return id;
}
const create = (body: object = {}) => createToken(vault, tenant, { type: 'token', data: 'x', ...body });
const stored = (ids: readonly string[]) => listStored(vault, ids);
const far = '2090-01-01T00:00:00Z';

describe('the sweep by age', () => {
  it('removes what is older than `keep for`, records it, and keeps what has an expiry of its own', async () => {
    const ids = [await create({ metadata: { a: 'b' } }), await create({ expires_at: far }), await create()];
    await age(vault, ids.slice(0, 2), 31);
    await rule({ keep_for_days: 30 });
    await sweep();
    expect(await stored(ids)).toEqual(ids.slice(1));
    const records = (await vault.auditRecords(tenant.id)).filter(({ entity_id }) => entity_id === ids[0]);
    expect(records.at(-1)).toMatchObject({ operation: 'expire', actor_type: 'system', outcome: 'success' });
    expect(records.at(-1)?.['details']).toContain('retention');
    const { rows } = await owner().query('select from token_terms where token_id = $1', [ids[0]]);
    expect(rows).toHaveLength(0);
    const report = await manage('GET', '/tenants/self/reports/usage');
    expect(report.body).toMatchObject({ total_tokens: 2 });
  });

  it('removes what is older than `never longer than`, whatever its expiry', async () => {
    const ids = [await create({ expires_at: far }), await create({ expires_at: far })];
    await age(vault, ids.slice(0, 1), 31);
    await rule({ never_longer_than_days: 30 });
    await sweep();
    expect(await stored(ids)).toEqual(ids.slice(1));
  });

  it('applies the rule of the innermost container for `keep for`, and the shortest of all for `never longer than`', async () => {
    const ids = [
      await create({ containers: ['/a/'] }),
      await create({ containers: ['/a/b/'] }),
      await create({ containers: ['/c/', '/a/b/'] }),
      await create({ containers: ['/c/'] }),
    ];
    await age(vault, ids, 31);
    await rule({ container: '/a/', keep_for_days: 30 });
    await rule({ container: '/a/b/', keep_for_days: 300 });
    await sweep();
    expect(await stored(ids)).toEqual(ids.slice(1));
    await rule({ container: '/a/', never_longer_than_days: 20 });
    await sweep();
    expect(await stored(ids)).toEqual(ids.slice(3));
  });

  it('is limited to the type of the rule, and to the tenant', async () => {
    const other = await vault.makeTenant();
    const foreign = await createToken(vault, other, { type: 'token', data: 'x' });
    const ids = [await create(), await create({ type: 'social_security_number', data: '123-45-6789' }), foreign];
    await age(vault, ids, 31);
    await rule({ type: 'social_security_number', keep_for_days: 30 });
    await sweep();
    expect(await stored(ids)).toEqual([ids[0], foreign]);
  });

  it('removes nothing by a rule that has yet to take effect, nor by one that was deleted', async () => {
    const id = await create();
    await age(vault, [id], 31);
    const answer = await manage('POST', '/retention-rules', { keep_for_days: 30, confirmed_tokens: 1 });
    const { id: made, effective_at: at } = answer.body as { id: string; effective_at: string };
    expect(new Date(at).getTime()).toBeGreaterThan(Date.now() + 23 * 3_600_000);
    await sweep();
    expect(await stored([id])).toEqual([id]);
    await owner().query('update retention_rules set effective_at = now() where id = $1', [made]);
    expect((await manage('DELETE', `/retention-rules/${made}`)).status).toBe(204);
    await sweep();
    expect(await stored([id])).toEqual([id]);
  });

  it('removes each token once when several workers sweep at the same time', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 40; n += 1) ids.push(await create({ data: n }));
    await age(vault, ids, 31);
    await rule({ keep_for_days: 30 });
    await Promise.all(Array.from({ length: 5 }, sweep));
    expect(await stored(ids)).toEqual([]);
    const expired = (await vault.auditRecords(tenant.id)).filter(({ operation }) => operation === 'expire');
    expect(expired.map(({ entity_id }) => String(entity_id)).toSorted()).toEqual(ids.toSorted());
    const { rows } = await owner().query<{ n: number }>(
      'select coalesce(sum(tokens), 0)::int as n from token_counts where tenant_id = $1',
      [tenant.id],
    );
    expect(rows[0]?.n).toBe(0);
  });
});

describe('the period of a token in several containers', () => {
  it('is the longest, whatever the length of their names, and the shortest of rules for the same container', async () => {
    const both = await create({ containers: ['/customers/', '/tax/'] });
    const inner = await create({ containers: ['/tax/old/', '/tax/'] });
    await age(vault, [both, inner], 40);
    await rule({ keep_for_days: 10 });
    await rule({ container: '/customers/', keep_for_days: 30 });
    await rule({ container: '/tax/', keep_for_days: 3_650 });
    await rule({ container: '/tax/old/', keep_for_days: 35 });
    await sweep();
    expect(await stored([both, inner])).toEqual([both]);
    await rule({ container: '/tax/', keep_for_days: 35 });
    await sweep();
    expect(await stored([both])).toEqual([]);
  });
});

describe('the sweep by use', () => {
  it('removes tokens that the log has no use of, and looks at a used one again only when it is due', async () => {
    const [unused, read] = [await create(), await create()];
    await age(vault, [unused, read], 40);
    await forgetUse(vault, [unused, read]);
    expect((await vault.request('GET', `/tokens/${read}`, { key: tenant.keys.private })).status).toBe(200);
    await rule({ keep_until_unused_for_days: 30 });
    await sweep();
    expect(await stored([unused, read])).toEqual([read]);
    const last = 'select last_use_at as at from tokens where id = $1';
    const { rows } = await owner().query<{ at: Date | null }>(last, [read]);
    expect(Date.now() - (rows[0]?.at?.getTime() ?? 0)).toBeLessThan(60_000);
    // Even without its records it is not looked at again, because its last use is known.
    await forgetUse(vault, [read]);
    await sweep();
    expect(await stored([read])).toEqual([read]);
    await owner().query(`update tokens set last_use_at = now() - interval '31 days' where id = $1`, [read]);
    await sweep();
    expect(await stored([read])).toEqual([]);
  });

  it('keeps a token that was changed within the period, even if the log does not say so', async () => {
    const id = await create();
    await age(vault, [id], 40);
    await owner().query('update tokens set modified_at = now() where id = $1', [id]);
    await forgetUse(vault, [id]);
    await rule({ keep_until_unused_for_days: 30 });
    await sweep();
    expect(await stored([id])).toEqual([id]);
  });

  it('does not count a refused attempt as a use', async () => {
    const id = await create({ containers: ['/a/'] });
    await age(vault, [id], 40);
    await forgetUse(vault, [id]);
    await rule({ keep_until_unused_for_days: 30 });
    const stranger = await vault.request('DELETE', `/tokens/${id}`, { key: tenant.keys.public });
    expect(stranger.status).toBe(403);
    await sweep();
    expect(await stored([id])).toEqual([]);
  });

  it('fails instead of removing anything if the log of the period is gone', async () => {
    const id = await create();
    await age(vault, [id], 400);
    await forgetUse(vault, [id]);
    await rule({ keep_until_unused_for_days: 390 });
    await owner().query(
      `insert into audit_checkpoints (tenant_id, number, tree_size, month, order_to, root, frontier, sealed_at, key_version, signature)
        values ($1, 1, 1, date_trunc('month', now() - interval '400 days')::date, 1, ''::bytea, ''::bytea, now(), 1, ''::bytea)`,
      [tenant.id],
    );
    try {
      await expect(sweep()).rejects.toThrow('STRONGROOM_AUDIT_RETENTION_MONTHS');
      expect(await stored([id])).toEqual([id]);
    } finally {
      await owner().query('delete from audit_checkpoints where tenant_id = $1', [tenant.id]);
    }
  });
});

describe('a token that is written under `never longer than`', () => {
  const expiryOf = async (id: string) =>
    (await vault.request('GET', `/tokens/${id}`, { key: tenant.keys.private })).body as { expires_at?: string };
  const inDays = (days: number) => Date.now() + days * 24 * 3_600_000;

  it('gets the earlier of its own expiry and the end of the rule, counted from its creation', async () => {
    await rule({ container: '/a/', never_longer_than_days: 30 });
    const early = new Date(inDays(3)).toISOString().replace(/\.\d+Z/, 'Z');
    const ids = [
      await create({ containers: ['/a/b/'], expires_at: far }),
      await create({ containers: ['/a/b/'], expires_at: early }),
      await create({ containers: ['/b/'], expires_at: far }),
      await create({ containers: ['/a/b/'] }),
    ];
    const ends = await Promise.all(ids.map(async (id) => (await expiryOf(id)).expires_at));
    expect(Math.abs(Date.parse(ends[0] ?? '') - inDays(30))).toBeLessThan(60_000);
    expect(Date.parse(ends[1] ?? '')).toBe(Date.parse(early));
    expect(Date.parse(ends[2] ?? '')).toBe(Date.parse(far));
    expect(ends[3]).toBeUndefined();
  });

  it('cannot outlive the rule by a change of its expiry or of its container', async () => {
    await rule({ container: '/a/', never_longer_than_days: 30 });
    const [inside, outside] = [
      await create({ containers: ['/a/'] }),
      await create({ containers: ['/b/'], expires_at: far }),
    ];
    await age(vault, [inside, outside], 10);
    const patch = (id: string, body: object) =>
      vault.request('PATCH', `/tokens/${id}`, {
        key: tenant.keys.private,
        headers: { 'content-type': 'application/merge-patch+json' },
        body,
      });
    const answers = [await patch(inside, { expires_at: far }), await patch(outside, { containers: ['/a/'] })];
    for (const { status, body } of answers) {
      expect(status).toBe(200);
      const end = Date.parse((body as { expires_at: string }).expires_at);
      expect(Math.abs(end - inDays(20))).toBeLessThan(60_000);
    }
  });
});
