import { readdir, readFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestTenant, TestVault } from '../../../../test/harness/test-vault.ts';
import { sweepSessionsJob } from '../../sessions/index.ts';
import { sweepTokensJobs } from './sweep-tokens-jobs.ts';

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
  for (const job of sweepTokensJobs(vault.server.core.database)) await job.run(undefined);
};
async function create(body: object): Promise<string> {
  const answer = await vault.request('POST', '/tokens', { key: tenant.keys.private, body });
  expect(answer.status).toBe(201);
  return (answer.body as { id: string }).id;
}
/** Expires tokens early, so that tests do not have to wait. */
const expire = (ids: readonly string[]) =>
  owner().query(
    `update tokens set expires_at = now() - interval '1 minute', expires_at_offset_minutes = 0 where id = any($1)`,
    [ids],
  );
async function rowsOf(table: string, column: string, id: string): Promise<number> {
  const { rows } = await owner().query(`select from ${table} where tenant_id = $1 and ${column} = $2`, [tenant.id, id]);
  return rows.length;
}

describe('the sweep of claims', () => {
  const leave = (of: TestTenant) =>
    owner().query(
      `insert into token_fingerprints (tenant_id, fingerprint) select $1, 'left ' || n from generate_series(1, 3) n`,
      [of.id],
    );
  const claimsOf = async (of: TestTenant) =>
    (await owner().query('select from token_fingerprints where tenant_id = $1', [of.id])).rows.length;

  it('removes what a version has left behind that kept them, and leaves one alone that is in use', async () => {
    await leave(tenant);
    const user = await owner().connect();
    await user.query('begin');
    await user.query(
      `update token_fingerprints set fingerprint = fingerprint where fingerprint = 'left 2' and tenant_id = $1`,
      [tenant.id],
    );
    await sweep();
    expect(await claimsOf(tenant)).toBe(1);
    await user.query('commit');
    user.release();
    await sweep();
    expect(await claimsOf(tenant)).toBe(0);
  });

  it('is not needed after the migration, and deduplication goes on where claims were left', async () => {
    const body = { type: 'token', data: 'known before', deduplicate_token: true };
    const id = await create(body);
    await owner().query(`insert into token_fingerprints select tenant_id, fingerprint from tokens where id = $1`, [id]);
    const again = await vault.request('POST', '/tokens', { key: tenant.keys.private, body });
    expect(again).toMatchObject({ status: 200, body: { id } });
    expect(await claimsOf(tenant)).toBe(0);

    await leave(tenant);
    const folder = new URL('../../../../migrations/', import.meta.url);
    const [file = ''] = (await readdir(folder)).filter((name) => name.endsWith('_fingerprint_claims.sql'));
    await owner().query(await readFile(new URL(file, folder), 'utf8'));
    expect(await claimsOf(tenant)).toBe(0);
  });
});

describe('the sweep of tokens', () => {
  it('removes an expired token with all that belongs to it, records it, and leaves the others alone', async () => {
    const card = { type: 'card', data: { number: '4242424242424242', cvc: '123' }, metadata: { a: 'b' } };
    const gone = await create({ ...card, search_indexes: ['{{ data.number }}'] });
    const kept = await create({ ...card, expires_at: '2099-01-01T00:00:00Z' });
    await expire([gone]);
    await sweep();
    for (const [table, column] of [
      ['tokens', 'id'],
      ['token_terms', 'token_id'],
      ['token_cvcs', 'token_id'],
    ] as const) {
      expect([table, await rowsOf(table, column, gone)]).toEqual([table, 0]);
      expect([table, await rowsOf(table, column, kept)]).not.toEqual([table, 0]);
    }
    const records = (await vault.auditRecords(tenant.id)).filter(({ entity_id }) => entity_id === gone);
    expect(records.at(-1)).toMatchObject({ operation: 'expire', actor_type: 'system', entity_type: 'card' });
    const report = await vault.request('GET', '/tenants/self/reports/usage', { key: tenant.keys.management });
    expect(report.body).toMatchObject({ total_tokens: 1 });
    const logs = await vault.request('GET', `/logs?entity_id=${gone}`, { key: tenant.keys.management });
    expect((logs.body as { data: object[] }).data[0]).toMatchObject({ message: 'Token expired' });
  });

  it('removes each token once when several sweep at the same time', async () => {
    const ids = await Promise.all(Array.from({ length: 60 }, (_, n) => create({ type: 'token', data: n })));
    await expire(ids);
    await Promise.all(Array.from({ length: 6 }, sweep));
    const { rows } = await owner().query<{ n: number }>(
      `select count(*)::int as n from audit_records where tenant_id = $1 and operation = 'expire'`,
      [tenant.id],
    );
    expect(rows[0]?.n).toBe(60);
    const { rows: counted } = await owner().query<{ n: number }>(
      'select coalesce(sum(tokens), 0)::int as n from token_counts where tenant_id = $1',
      [tenant.id],
    );
    expect(counted[0]?.n).toBe(0);
  });

  it('takes more than one step where there is more than one step can take', async () => {
    const answer = await vault.request('POST', '/tokenize', {
      key: tenant.keys.private,
      body: Array.from({ length: 1_000 }, (_, n) => `value ${n}`),
    });
    const ids = [...(answer.body as string[]), await create({ type: 'token', data: 'one more' })];
    await expire(ids);
    await sweep();
    const { rows } = await owner().query('select from tokens where tenant_id = $1', [tenant.id]);
    expect(rows).toHaveLength(0);
  });
});

describe('the sweeps of what expires by itself', () => {
  it('remove codes whose hour is over and keep their cards', async () => {
    const id = await create({ type: 'card', data: { number: '4242424242424242', cvc: '123' } });
    await owner().query(`update token_cvcs set expires_at = now() where token_id = $1`, [id]);
    await sweep();
    expect(await rowsOf('token_cvcs', 'token_id', id)).toBe(0);
    expect(await rowsOf('tokens', 'id', id)).toBe(1);
  });

  it('remove sessions that have ended', async () => {
    for (let n = 0; n < 2; n += 1) await vault.request('POST', '/sessions', { key: tenant.keys.public });
    await owner().query(
      `update sessions set expires_at = now() where tenant_id = $1 and id = (select id from sessions where tenant_id = $1 limit 1)`,
      [tenant.id],
    );
    await sweepSessionsJob(vault.server.core.database).run(undefined);
    const { rows } = await owner().query('select from sessions where tenant_id = $1', [tenant.id]);
    expect(rows).toHaveLength(1);
  });
});
