import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sealAll, signerOf } from '../../../../test/harness/sealed-log.ts';
import { type TestTenant, TestVault } from '../../../../test/harness/test-vault.ts';
import type { Database } from '../../database/database.ts';
import { Metrics } from '../../telemetry/metrics.ts';
import type { AlertThresholds } from './alert-rule.ts';
import { WatchMetrics } from './watch-metrics.ts';
import type { WatchedKind } from './watch-store.ts';
import { Watcher } from './watcher.ts';

const thresholds: AlertThresholds = { windowMinutes: 10, misses: 10, reveals: 5, addresses: 3 };
let vault: TestVault;
let tenant: TestTenant;
let keyId: string;
let watcher: Watcher;
beforeAll(async () => {
  vault = await TestVault.start();
  await createWatcher(thresholds).watch();
});
afterAll(() => vault.stop());
beforeEach(async () => {
  tenant = await vault.makeTenant();
  keyId = randomUUID();
  watcher = createWatcher(thresholds);
});

function createWatcher(own: AlertThresholds, database: Pick<Database, 'forTenant'> = vault.database.open()): Watcher {
  return new Watcher({ sealerDatabase: vault.database.open(), database, thresholds: own });
}

interface Happening {
  readonly operation?: string;
  readonly outcome?: string;
  readonly transform?: string;
  readonly entityId?: string;
  readonly address?: string;
  readonly missing?: number;
  /** The number of the window within the current day. */
  readonly window?: number;
}

/** Inserts records like those of a server, at the given times. */
async function write(happenings: readonly Happening[], actor: { key?: string; type?: string } = {}): Promise<void> {
  for (const {
    operation = 'read',
    outcome = 'success',
    transform,
    entityId = '*',
    address = '192.0.2.1',
    missing,
    window = 0,
  } of happenings)
    await vault.database.owner.query(
      `insert into audit_records (tenant_id, created_at, entity_type, entity_id, operation, outcome, transform, details,
          actor_type, actor_id, key_id, source_address)
        values ($1, date_trunc('day', now(), 'UTC') + make_interval(mins => 10 * $2), 'token', $3, $11, $4, $5, $6, $7, $8, $9, $10)`,
      [
        tenant.id,
        window,
        entityId,
        outcome,
        transform ?? null,
        missing === undefined ? null : JSON.stringify({ missing }),
        actor.type ?? 'application',
        actor.key ?? keyId,
        // A signed-in user has no key.
        actor.type === 'user' ? null : (actor.key ?? keyId),
        address,
        operation,
      ],
    );
}
const times = (count: number, happening: Happening) => Array.from({ length: count }, () => happening);
const reveals = (ids: readonly string[], window = 0) =>
  ids.map((entityId) => ({ transform: 'reveal', entityId, window }));

/** Seals, watches, and returns the alerts in the tenant's log, oldest first. */
async function alertsAfterWatching(worker = watcher, subject = 'key'): Promise<unknown[]> {
  await sealAll(vault.database, signerOf(vault.server));
  while ((await worker.watch()).isFull);
  const records = await vault.auditRecords(tenant.id);
  return records
    .filter((record) => record['operation'] === 'alert')
    .map(({ entity_type, entity_id, details }) => {
      expect([entity_type, entity_id]).toEqual([subject, keyId]);
      const { from, ...rest } = JSON.parse(String(details)) as { from: string };
      expect(new Date(from).toISOString()).toBe(from);
      expect(new Date(from).getTime() % (10 * 60_000)).toBe(0);
      return rest;
    });
}

describe('Watcher', () => {
  it('raises one alert in a window of misses, however many passes and requests there are, and one in the next', async () => {
    await write(times(6, { outcome: 'missed' }));
    expect(await alertsAfterWatching()).toEqual([]);
    await write(times(4, { outcome: 'missed', address: '192.0.2.1' }));
    const first = { rule: 'misses', count: 10, minutes: 10 };
    expect(await alertsAfterWatching()).toEqual([first]);
    await write(times(30, { outcome: 'missed' }));
    expect(await alertsAfterWatching()).toEqual([first]);
    await write([{ outcome: 'missed', window: 1, missing: 25 }]);
    expect(await alertsAfterWatching()).toEqual([first, { ...first, count: 25 }]);
  });

  it('counts different tokens that were revealed, and not how often', async () => {
    await write([...times(40, { transform: 'reveal', entityId: 'a' }), ...reveals(['b', 'c', 'd'])]);
    await write(times(40, { transform: 'mask', entityId: 'e' }));
    expect(await alertsAfterWatching()).toEqual([]);
    await write(reveals(['f'], 1));
    expect(await alertsAfterWatching()).toEqual([]);
    await write(reveals(['a', 'e', 'f', 'g']));
    expect(await alertsAfterWatching()).toEqual([{ rule: 'reveals', count: 7, minutes: 10 }]);
  });

  it('raises an alert for a new address of a known key, until the key is used from anywhere', async () => {
    const from = (address: string, window: number) => ({ address, window });
    await write([from('192.0.2.1', 0), from('192.0.2.1', 1)]);
    expect(await alertsAfterWatching()).toEqual([]);
    await write([from('192.0.2.2', 2), from('192.0.2.2', 2)]);
    const second = { rule: 'new-address', count: 2, minutes: 10 };
    expect(await alertsAfterWatching()).toEqual([second]);
    await write([from('192.0.2.2', 3), from('192.0.2.1', 4)]);
    expect(await alertsAfterWatching()).toEqual([second]);
    for (const [index, address] of ['192.0.2.3', '192.0.2.4', '192.0.2.5', '192.0.2.6'].entries()) {
      await write([from(address, 5 + index)]);
      await alertsAfterWatching();
    }
    expect(await alertsAfterWatching()).toEqual([second, { ...second, count: 3 }, { ...second, count: 4 }]);
  });

  it('lets sessions come from anywhere, and counts each key for itself', async () => {
    await write([{ address: '192.0.2.1' }, { address: '192.0.2.2' }], { type: 'session' });
    await write(times(9, { outcome: 'missed' }));
    await write(times(9, { outcome: 'missed' }), { key: randomUUID() });
    expect(await alertsAfterWatching()).toEqual([]);
  });

  it('counts what sessions do for the key that authorized them, with one alert for all of them', async () => {
    for (let session = 0; session < 4; session += 1) {
      const id = randomUUID();
      await vault.database.owner.query(
        `insert into audit_records (tenant_id, entity_type, entity_id, operation, outcome, actor_type, actor_id, key_id, created_at)
          values ($1, 'session', $2, 'authorize', 'success', 'application', $3, $3, date_trunc('day', now(), 'UTC'))`,
        [tenant.id, id, keyId],
      );
      const own = { key: id, type: 'session' };
      await write([{ outcome: 'missed', missing: 3 }, ...reveals(['a', `token ${session}`])], own);
    }
    expect(await alertsAfterWatching()).toEqual([
      { rule: 'misses', count: 12, minutes: 10 },
      { rule: 'reveals', count: 5, minutes: 10 },
    ]);
  });

  it('raises alerts for users who are signed in as for keys, wherever they come from, each for themselves', async () => {
    const user = { type: 'user' };
    await write([{ address: '192.0.2.1' }, { address: '192.0.2.2' }, { outcome: 'missed', missing: 9 }], user);
    await write([{ outcome: 'missed', missing: 9 }], { type: 'user', key: randomUUID() });
    expect(await alertsAfterWatching(watcher, 'member')).toEqual([]);
    await write([{ outcome: 'missed' }, ...reveals([...'abcde'])], user);
    const raised = await alertsAfterWatching(watcher, 'member');
    expect(raised).toEqual([
      { rule: 'misses', count: 10, minutes: 10 },
      { rule: 'reveals', count: 5, minutes: 10 },
    ]);
    const { body } = await vault.request('GET', '/logs?operation=alert', { key: tenant.keys.management });
    expect(body).toMatchObject({ data: [{ message: 'Member alert raised', entity_id: keyId }, {}] });
  });

  it('counts guesses of a search that found something else', async () => {
    await write([{ operation: 'search', missing: 9 }, { operation: 'search' }]);
    expect(await alertsAfterWatching()).toEqual([]);
    await write([{ operation: 'search', missing: 1 }]);
    expect(await alertsAfterWatching()).toEqual([{ rule: 'misses', count: 10, minutes: 10 }]);
  });

  it('writes an alert once where it fails after the record, and those of others where it fails for one tenant', async () => {
    const database = vault.database.open();
    const isOfTenant = (id: string) => id === tenant.id;
    const dying = createWatcher(thresholds, {
      forTenant: async (id, work) => {
        const result = await database.forTenant(id, work);
        if (isOfTenant(id)) throw new Error('The worker died.');
        return result;
      },
    });
    const refused = createWatcher(thresholds, {
      forTenant: (id, work) =>
        isOfTenant(id) ? Promise.reject(new Error('The log cannot be written to.')) : database.forTenant(id, work),
    });
    const alertsIn = async (id: string) =>
      (await vault.auditRecords(id)).filter((record) => record['operation'] === 'alert').length;
    const own = tenant;
    const other = await vault.makeTenant();
    for (const [round, worker] of [refused, dying].entries()) {
      tenant = own;
      await write(times(10, { outcome: 'missed', window: round }));
      tenant = other;
      await write(times(10, { outcome: 'missed', window: round }));
      tenant = own;
      await sealAll(vault.database, signerOf(vault.server));
      for (let pass = 0; pass < 3; pass += 1) await worker.watch();
      expect(await alertsIn(other.id)).toBe(round + 1);
    }
    // The first alert was rejected before. The second was written, but the worker crashed before marking it as
    // recorded.
    await alertsAfterWatching();
    expect(await alertsIn(own.id)).toBe(2);
    expect(await alertsIn(other.id)).toBe(2);
  });

  it('sees every record once, however many workers there are', async () => {
    await write(times(7, { outcome: 'missed' }));
    await sealAll(vault.database, signerOf(vault.server));
    await Promise.all([1, 2, 3, 4].map(() => createWatcher(thresholds).watch()));
    expect(await alertsAfterWatching()).toEqual([]);
    await write(times(5, { outcome: 'missed' }));
    await sealAll(vault.database, signerOf(vault.server));
    await Promise.all([1, 2, 3, 4].map(() => createWatcher(thresholds).watch()));
    expect(await alertsAfterWatching()).toEqual([{ rule: 'misses', count: 12, minutes: 10 }]);
  });

  it('fails where its place is lost, instead of seeing nothing', async () => {
    const { rows } = await vault.database.owner.query<{ watched_to: string }>(
      'delete from audit_watch_position returning watched_to',
    );
    await expect(watcher.watch()).rejects.toThrow('audit_watch_position has lost its row');
    await vault.database.owner.query('insert into audit_watch_position (watched_to) values ($1)', [
      rows[0]?.watched_to,
    ]);
  });

  it('leaves out rules whose threshold is 0', async () => {
    const off = createWatcher({ windowMinutes: 10, misses: 0, reveals: 0, addresses: 0 });
    await write([...times(20, { outcome: 'missed' }), ...reveals([...'abcdefgh']), { address: '192.0.2.9' }]);
    expect(await alertsAfterWatching(off)).toEqual([]);
  });

  it('shows alerts in the log', async () => {
    await write(times(10, { outcome: 'missed' }));
    await alertsAfterWatching();
    const { body } = await vault.request('GET', '/logs?operation=alert', { key: tenant.keys.management });
    expect(body).toMatchObject({
      data: [{ message: 'Key alert raised', entity_id: keyId, actor_type: 'system', details: { rule: 'misses' } }],
    });
  });
});

describe('WatchMetrics', () => {
  it('counts by application, with a bound on how many have a name', async () => {
    const metrics = new Metrics();
    const counted = new WatchMetrics(metrics);
    const blank = { tenantId: tenant.id, keyId, sourceAddress: null, bucket: '', value: '', count: 2 };
    const group = (actorId: string, kind: WatchedKind, actorType = 'application') => {
      return { ...blank, actorId, actorType, kind };
    };
    counted.count({
      groups: [
        group('first', 'denied'),
        group('first', 'denied'),
        group('first', 'other'),
        group('s', 'missed', 'session'),
        group('u', 'denied', 'user'),
        group('v', 'denied', 'user'),
        ...Array.from({ length: 300 }, (_, index) => group(`application ${index}`, 'revealed')),
      ],
      alerts: [{ tenantId: tenant.id, keyId, isUser: false, rule: 'misses', count: 10, from: new Date() }],
      failures: [],
      isFull: false,
    });
    const text = await metrics.render();
    expect(text).toContain('strongroom_audit_watched_total{application="first",kind="denied"} 4');
    expect(text).toContain('strongroom_audit_watched_total{application="sessions",kind="missed"} 2');
    expect(text).toContain('strongroom_audit_watched_total{application="users",kind="denied"} 4');
    expect(text).toContain('strongroom_audit_watched_total{application="other",kind="revealed"} 202');
    expect(text.match(/^strongroom_audit_watched_total\{/gm)).toHaveLength(203);
    expect(text).toContain('strongroom_audit_alerts_total{rule="misses"} 1');
  });
});
