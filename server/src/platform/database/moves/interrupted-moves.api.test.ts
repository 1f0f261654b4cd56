import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/harness/test-database.ts';
import { parseTenantId } from '../../../core/identity/ids.ts';
import { AdminSession } from './admin-session.ts';
import { findNewestCheckpoint, hasArrived } from './backup-content.ts';
import {
  beginArrival,
  beginDeparture,
  closeForHandOver,
  decide,
  deleteMove,
  findMove,
  flushArrival,
  noteRemoved,
  openArrival,
} from './move-row.ts';
import { listMovedTables } from './moved-tables.ts';
import { ensurePublication, isRunAsTableOwner, replicationNameOf } from './replication.ts';
import { findEpoch, raiseEpoch, requireLaterEpoch } from './sealing-place.ts';
import { ensureMonths } from './tenant-rows.ts';

const tenantId = parseTenantId('01a1f430-0000-7000-8000-000000000001');
const arriving = parseTenantId('01a1f430-0000-7000-8000-000000000002');

let test: TestDatabase;
let admin: AdminSession;
beforeEach(async () => {
  test = await createTestDatabase();
  admin = await AdminSession.open(test.url, 'a setting');
});
afterEach(async () => {
  await admin.close();
  await test.drop();
});

describe('two moves that cross', () => {
  it('do not change the epoch of a cell that a tenant is leaving', async () => {
    const before = await findEpoch(admin);
    await beginDeparture(admin, tenantId, 'us1');
    await expect(raiseEpoch(admin, before)).rejects.toThrow('Another tenant is leaving the target.');
    expect(await findEpoch(admin)).toBe(before);
    await deleteMove(admin, tenantId, 'out');
    await raiseEpoch(admin, before);
    expect(await findEpoch(admin)).toBe(before + 1);
  });

  it('are noticed before the hand-over, whatever has raised the epoch of the source', async () => {
    const other = await createTestDatabase();
    const target = await AdminSession.open(other.url, 'a setting');
    await raiseEpoch(target, await findEpoch(admin));
    await requireLaterEpoch({ source: admin, target });
    await raiseEpoch(admin, await findEpoch(admin));
    await expect(requireLaterEpoch({ source: admin, target })).rejects.toThrow('Cancel the move with --cancel');
    await target.close();
    await other.drop();
  });
});

describe('a target that has not what was compared', () => {
  const id = crypto.randomUUID();

  it('does not open the tenant, and does if it has', async () => {
    await beginArrival(admin, arriving, { id, cell: 'eu1' });
    const open = (attempt: string | null) =>
      admin
        .transaction(() => openArrival(admin, arriving, { id, attempt }))
        .then(
          () => 'opened',
          (error: Error) => error.message.slice(0, 58),
        );
    const refusal = 'The target does not have the tenant as it was compared at ';
    expect(await open(null)).toBe(refusal);
    const earlier = await flushArrival(admin, arriving);
    const attempt = await flushArrival(admin, arriving);
    for (const other of [null, earlier, crypto.randomUUID()]) expect(await open(other)).toBe(refusal);
    expect((await findMove(admin, arriving, 'in'))?.isDecided).toBe(false);
    expect(await open(attempt)).toBe('opened');
    expect((await findMove(admin, arriving, 'in'))?.isDecided).toBe(true);
  });

  it('is told apart by the comparison that the source keeps with its decision', async () => {
    const departure = await beginDeparture(admin, tenantId, 'us1');
    await closeForHandOver(admin, tenantId, 60);
    const attempt = crypto.randomUUID();
    expect(await decide(admin, tenantId, { id: departure.id, attempt })).toBe(true);
    expect(await findMove(admin, tenantId, 'out')).toMatchObject({ attempt, isDecided: true });
  });

  it('counts as a backup only if it has this move, opened, and the newest checkpoint of the source', async () => {
    const move = await beginArrival(admin, arriving, { id, cell: 'eu1' });
    const database = test.open();
    const has = (more: object = {}) => hasArrived(database, arriving, { id, checkpoint: undefined, ...more });
    expect(await has()).toBe(false);
    const attempt = await flushArrival(admin, arriving);
    await openArrival(admin, arriving, { id: move.id, attempt });
    expect(await has()).toBe(true);
    expect(await has({ id: crypto.randomUUID() })).toBe(false);
    await test.owner.query(`insert into tenants (id, name, type) values ($1, 'Acme', 'test') on conflict do nothing`, [
      arriving,
    ]);
    const checkpoint = { number: '1', root: Buffer.alloc(32, 1) };
    expect(await has({ checkpoint })).toBe(false);
    await test.owner.query(
      `insert into audit_checkpoints (tenant_id, number, tree_size, month, order_to, root, frontier, sealed_at, key_version, signature)
        values ($1, 1, 1, '2026-01-01', 1, $2, $2, now(), 1, $2)`,
      [arriving, checkpoint.root],
    );
    expect(await findNewestCheckpoint(admin, arriving)).toEqual(checkpoint);
    expect(await has({ checkpoint })).toBe(true);
    expect(await has({ checkpoint: { number: '1', root: Buffer.alloc(32, 2) } })).toBe(false);
  });
});

describe('a cell that a tenant has left for good', () => {
  it('can receive it again', async () => {
    const first = await beginArrival(admin, tenantId, { id: crypto.randomUUID(), cell: 'eu1' });
    await beginDeparture(admin, tenantId, 'eu1');
    await noteRemoved(admin, tenantId);
    const again = crypto.randomUUID();
    expect(await beginArrival(admin, tenantId, { id: again, cell: 'eu1' })).toMatchObject({ id: again });
    expect(first.id).not.toBe(again);
  });
});

describe('what PostgreSQL replicates', () => {
  it('is inserts, updates and deletions, because emptying a table would reach all tenants', async () => {
    await ensurePublication(admin, tenantId, await listMovedTables(admin)).catch(() => undefined);
    const published = await admin.query(
      'select pubinsert, pubupdate, pubdelete, pubtruncate from pg_publication where pubname = $1',
      [replicationNameOf(tenantId)],
    );
    expect(published).toEqual([{ pubinsert: true, pubupdate: true, pubdelete: true, pubtruncate: false }]);
  });

  it('goes into months that belong to the owner of the log', async () => {
    await test.owner.query('alter table audit_records owner to strongroom_sealer');
    await ensureMonths(admin, ['2019_01']);
    const owners = await admin.query(
      `select pg_get_userbyid(relowner)::text as owner from pg_class where relname = 'audit_records_2019_01'`,
    );
    expect(owners).toEqual([{ owner: 'strongroom_sealer' }]);
  });

  it('is written past row-level security in every version of PostgreSQL', () => {
    expect([150_018, 159_999, 160_000, 180_001].map(isRunAsTableOwner)).toEqual([false, false, true, true]);
  });
});
