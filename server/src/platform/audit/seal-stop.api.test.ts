import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fillLog, sealAll, signerOf, untilSealable } from '../../../test/harness/sealed-log.ts';
import { type TestTenant, TestVault } from '../../../test/harness/test-vault.ts';
import { untilTrue } from '../../../test/harness/deadline.ts';
import { Metrics } from '../telemetry/metrics.ts';
import { defaultThresholds } from './watch/alert-rule.ts';
import { FacetKeeper } from './record/facet-keeper.ts';
import { verifyDatabase } from './verify/log-verification.ts';
import { LogReader } from './verify/log-reader.ts';
import { SealLoop } from './seal-loop.ts';
import { Sealer } from './seal/sealer.ts';
import { Watcher } from './watch/watcher.ts';

let vault: TestVault;
let tenant: TestTenant;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
});
afterAll(() => vault.stop());

const owner = () => vault.database.owner;
const log = () => ({ reader: new LogReader(vault.database.open()), publicKey: signerOf(vault.server).publicKey });
const seal = () => sealAll(vault.database, signerOf(vault.server));
const sealNow = () => new Sealer({ database: vault.database.open(), signer: signerOf(vault.server) }).seal();
/** Runs one pass as soon as no open transaction in another test's database blocks it. */
const sealOnce = async () => {
  await untilSealable(vault.database);
  return sealNow();
};
const verify = () => verifyDatabase(log(), undefined, { onProgress: () => undefined });
const createToken = () =>
  vault.request('POST', '/tokens', { key: tenant.keys.private, body: { type: 'token', data: 'x' } });

describe('a sealer', () => {
  const newest = 'tenant_id = $1 and number = (select max(number) from audit_checkpoints where tenant_id = $1)';
  const flip = `update audit_checkpoints set signature = set_byte(signature, 5, get_byte(signature, 5) # 255) where ${newest}`;
  const sizeOf = async (id: string) => (await log().reader.newestCheckpoint(id))?.treeSize ?? 0;

  it('signs nothing on top of a checkpoint that was changed, and goes on with the other tenants', async () => {
    const other = await vault.makeTenant();
    await seal();
    await owner().query(flip, [tenant.id]);
    const [before, otherBefore] = [await sizeOf(tenant.id), await sizeOf(other.id)];
    for (let round = 0; round < 3; round += 1) {
      await createToken();
      await vault.request('GET', '/logs', { key: other.keys.management });
      const pass = await sealOnce();
      expect(pass).toMatchObject({ sealed: 1, stoppedCount: 1, resumed: [] });
      // The tenant is reported as stopped only once, in the pass that stops it.
      const named = [
        { tenantId: tenant.id, reason: expect.stringContaining(`tenant ${tenant.id} is not what was signed`) },
      ];
      expect(pass.stopped).toMatchObject(round === 0 ? named : []);
      expect(pass.waiting).toMatchObject(round === 0 ? [] : named);
    }
    expect(await sizeOf(tenant.id)).toBe(before);
    expect(await sizeOf(other.id)).toBe(otherBefore + 3);
    const { findings, waiting } = await verify();
    expect(findings).toMatchObject([{ kind: 'checkpoint-changed', tenantId: tenant.id }]);
    expect(waiting).toMatchObject([{ tenantId: tenant.id, records: 3, reason: 'checkpoint-damaged' }]);
    // Records are counted even if they are unsealed.
    const logs = await vault.request('GET', '/logs?entity_type=token', { key: tenant.keys.management });
    const { rows } = await owner().query(`select 1 from audit_records where tenant_id = $1 and entity_type = 'token'`, [
      tenant.id,
    ]);
    expect(logs.body).toMatchObject({ pagination: { total_items: rows.length } });

    await owner().query(flip, [tenant.id]);
    const pass = await sealOnce();
    expect(pass).toMatchObject({ resumed: [tenant.id], stopped: [], stoppedCount: 0 });
    await seal();
    const verdict = await verify();
    expect(verdict).toMatchObject({ findings: [], waiting: [] });
    const { rows: all } = await owner().query('select 1 from audit_records where tenant_id = $1', [tenant.id]);
    expect(await sizeOf(tenant.id)).toBe(all.length);
  });

  it('takes up what waited behind a damaged checkpoint in passes, each record once', async () => {
    const own = await vault.makeTenant();
    await seal();
    await owner().query(flip, [own.id]);
    await fillLog(vault.database, { tenantId: own.id, count: 12_000, perTransaction: 900 });
    await seal();
    await owner().query(flip, [own.id]);
    const first = await sealOnce();
    expect(first).toMatchObject({ resumed: [], stoppedCount: 1, isFull: true });
    await seal();
    const { findings, waiting, tenants } = await verify();
    expect({ findings, waiting }).toEqual({ findings: [], waiting: [] });
    const { rows } = await owner().query('select 1 from audit_records where tenant_id = $1', [own.id]);
    expect(tenants.find(({ tenantId }) => tenantId === own.id)?.verified).toBe(rows.length);
  });

  it('leaves a tenant stopped whose place was moved into the sealed past', async () => {
    const own = await vault.makeTenant();
    await seal();
    await owner().query(`insert into audit_seal_stops (tenant_id, order_from, reason) values ($1, 0, 'by hand')`, [
      own.id,
    ]);
    await createToken();
    expect(await sealOnce()).toMatchObject({
      sealed: 1,
      resumed: [],
      stoppedCount: 1,
      waiting: [{ tenantId: own.id, reason: expect.stringContaining('does not follow its newest checkpoint') }],
    });
    // The worker logs this once, not in every pass.
    const told: unknown[] = [];
    const database = vault.database.open();
    const logger = {
      info: () => undefined,
      warn: () => undefined,
      error: (...line: unknown[]) => void told.push(line),
    };
    const loop = new SealLoop({
      sealer: new Sealer({ database, signer: signerOf(vault.server) }),
      facets: new FacetKeeper(database),
      watcher: new Watcher({ sealerDatabase: database, database, thresholds: defaultThresholds }),
      anchorings: [],
      wake: () => Promise.resolve(),
      logger,
      metrics: new Metrics(),
    });
    const size = await sizeOf(tenant.id);
    for (const grown of [1, 2]) {
      await createToken();
      const isSealed = async () => (await sizeOf(tenant.id)) >= size + grown;
      await untilTrue(isSealed, { deadlineMs: 25_000, waitingFor: 'the next pass' });
    }
    await loop.stop();
    const reason = { error: expect.stringContaining(own.id) };
    expect(told).toEqual([['sealing of a tenant stopped', reason]]);
    await owner().query('delete from audit_seal_stops');
    expect((await verify()).findings).toEqual([]);
  });
});

describe('records that are not sealed yet', () => {
  const waitingOf = async (id: string) => (await verify()).waiting.find(({ tenantId }) => tenantId === id);
  const setIdle = (seconds: number) =>
    owner().query('update audit_sealing set looked_at = now() - make_interval(secs => $1)', [seconds]);

  it('wait for a worker that is not there', async () => {
    await seal();
    await createToken();
    await setIdle(600);
    expect(await waitingOf(tenant.id)).toMatchObject({
      records: 1,
      reason: 'no-worker',
      message: expect.stringContaining('No worker for 10 min.'),
    });
    await owner().query('update audit_sealing set looked_at = null');
    expect(await waitingOf(tenant.id)).toMatchObject({ reason: 'no-worker' });
  });

  it('wait for the next pass of one that is', async () => {
    await seal();
    await createToken();
    await setIdle(1);
    const waiting = await waitingOf(tenant.id);
    expect(waiting).toMatchObject({ records: 1, reason: 'worker-behind' });
    expect(waiting?.waitingSeconds).toBeLessThan(300);
    await seal();
    expect((await verify()).waiting).toEqual([]);
  });

  it('wait for a transaction that is still open, which is named', async () => {
    await seal();
    const slow = new pg.Client({ connectionString: vault.database.url, application_name: 'nightly report' });
    await slow.connect();
    await slow.query('begin');
    await slow.query('select pg_current_xact_id()');
    await createToken();
    // This runs a single pass. Waiting until everything is sealed would mean waiting for the transaction.
    await sealNow();
    expect(await waitingOf(tenant.id)).toMatchObject({
      records: 1,
      reason: 'open-transaction',
      message: expect.stringMatching(/^A transaction of "nightly report", open for \d+ s, holds sealing back\./),
    });
    await slow.query('rollback');
    await slow.end();
    await seal();
    expect((await verify()).waiting).toEqual([]);
  });

  it('are explained in our own words, whatever a prepared transaction is called', async () => {
    await seal();
    const { rows } = await owner().query<{ source: string }>(
      `select pg_get_functiondef('oldest_open_transaction'::regproc) as source`,
    );
    // PostgreSQL accepts any text of up to 200 bytes as the name of a prepared transaction, but only if prepared
    // transactions are enabled.
    const gid = `x"\u001b[2J\nThe log matches what was sealed.${'y'.repeat(150)}`;
    await owner().query(`create or replace function oldest_open_transaction()
      returns table (since timestamptz, application text, is_prepared boolean) language sql as
      $$ select now(), ${pg.escapeLiteral(gid)}, true $$`);
    const slow = new pg.Client({ connectionString: vault.database.url });
    await slow.connect();
    await slow.query('begin');
    await slow.query('select pg_current_xact_id()');
    await createToken();
    await sealNow();
    const waiting = await waitingOf(tenant.id);
    await slow.end();
    await owner().query(rows[0]?.source ?? '');
    expect(waiting?.message).toMatch(
      /^A prepared transaction of "x\?\?\[2J\?The log matches what was sealed\.y{10,30}…", open for \d+ s, holds/,
    );
    await seal();
  });

  it('a worker with nothing to seal says that it is there', async () => {
    await seal();
    await setIdle(600);
    await seal();
    const { rows } = await owner().query<{ idle: number }>(
      'select extract(epoch from now() - looked_at)::float8 as idle from audit_sealing',
    );
    expect(rows[0]?.idle).toBeLessThan(300);
  });
});
