import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sealVault } from '../../test/harness/sealed-log.ts';
import type { TestDatabase } from '../../test/harness/test-database.ts';
import { type TestTenant, TestVault } from '../../test/harness/test-vault.ts';
import { WireRelay } from '../../test/harness/wire-relay.ts';
import { NodeWatcher } from '../platform/audit/node-watcher.ts';
import { Watcher } from '../platform/audit/watcher.ts';

const thresholds = { windowMinutes: 10, misses: 8, reveals: 8, addresses: 0 };
let vault: TestVault;
let tenant: TestTenant;
let keyId: string;
let places: { readonly home: TestDatabase; readonly one: TestDatabase; readonly two: TestDatabase };
let relay: WireRelay;
let atHome: Watcher;
let onOne: NodeWatcher;
/** Reaches its node through the relay. */
let onTwo: NodeWatcher;

beforeAll(async () => {
  vault = await TestVault.start(undefined, { nodes: 2 });
  const [one, two] = vault.nodes;
  if (one === undefined || two === undefined) throw new Error('There are no nodes.');
  places = { home: vault.database, one: one.database, two: two.database };
  relay = await WireRelay.start(two.database.url, {});
  const home = vault.database.open();
  const far = two.database.open({ url: relay.urlOf(two.database.url) });
  onOne = new NodeWatcher({ node: one.name, nodeDatabase: one.database.open(), homeDatabase: home, thresholds });
  onTwo = new NodeWatcher({ node: two.name, nodeDatabase: far, homeDatabase: home, thresholds });
});
afterAll(async () => {
  await relay.stop();
  await vault.stop();
});
beforeEach(async () => {
  tenant = await vault.makeTenant();
  keyId = randomUUID();
  atHome = startAtHome();
  await sealVault(vault);
  for (const watcher of [atHome, onOne, onTwo]) while ((await watcher.watch()).isFull);
});

/** A new one forgets what is old with its first look, and then for a minute nothing. */
function startAtHome(): Watcher {
  const home = vault.database.open();
  return new Watcher({ sealerDatabase: home, database: home, thresholds });
}

async function cutOff(): Promise<{ restore(): Promise<void> }> {
  const { port } = new URL(relay.urlOf(places.two.url));
  await relay.stop();
  await expect(onTwo.watch()).rejects.toThrow();
  return {
    async restore() {
      relay = await WireRelay.start(places.two.url, { port: Number(port) });
    },
  };
}

interface Deed {
  readonly count: number;
  readonly hoursAgo?: number;
  readonly isMiss?: boolean;
}

/** So many tokens that the key reveals, or does not find, in one window: each token is another one. */
async function act({ owner }: TestDatabase, { count, hoursAgo = 0, isMiss = false }: Deed): Promise<void> {
  await owner.query(
    `insert into audit_records (tenant_id, created_at, entity_type, entity_id, operation, outcome, transform, actor_type, actor_id, key_id)
      select $1, date_bin('10 minutes', now(), timestamptz '2000-01-01 00:00:00+00') - make_interval(hours => $3), 'token',
        gen_random_uuid(), 'read', $5, $6, 'application', $2, $2 from generate_series(1, $4)`,
    [tenant.id, keyId, hoursAgo, count, isMiss ? 'missed' : 'success', isMiss ? null : 'reveal'],
  );
  await sealVault(vault);
}

/** What the log at home says. */
async function alerts(): Promise<string[]> {
  const records = await vault.auditRecords(tenant.id);
  return records
    .filter(({ operation, entity_id: id }) => operation === 'alert' && id === keyId)
    .map(({ details }) => (JSON.parse(String(details)) as { rule: string }).rule);
}

/** As if it was all seen so long ago, and a node has not been seen since. */
async function letPass(hours: number): Promise<void> {
  const { owner } = vault.database;
  const since = 'now() - make_interval(hours => $1)';
  await owner.query(`update audit_watched set seen_at = ${since}`, [hours]);
  await owner.query(`update audit_watched_nodes set seen_until = ${since} - interval '1 hour' where node = 'node-2'`, [
    hours,
  ]);
}

describe('alerts while a node cannot be reached', () => {
  it('are raised for what happens on the others, and not again when it is back', async () => {
    const outage = await cutOff();
    await act(places.one, { count: 8 });
    await act(places.two, { count: 9 });
    await onOne.watch();
    await atHome.watch();
    expect(await alerts()).toEqual(['reveals']);
    await outage.restore();
    await onTwo.watch();
    await atHome.watch();
    expect(await alerts()).toEqual(['reveals']);
  });

  it('are raised later for what happened on all of them together, however long that took', async () => {
    const outage = await cutOff();
    await act(places.one, { count: 5, hoursAgo: 5 });
    await act(places.two, { count: 3, hoursAgo: 5 });
    await onOne.watch();
    await letPass(5);
    await startAtHome().watch();
    expect(await alerts()).toEqual([]);
    await outage.restore();
    await onTwo.watch();
    await atHome.watch();
    expect(await alerts()).toEqual(['reveals']);
  });

  it('are not raised twice when what is known of the first was forgotten meanwhile', async () => {
    const outage = await cutOff();
    await act(places.one, { count: 8, hoursAgo: 1 });
    await onOne.watch();
    await atHome.watch();
    expect(await alerts()).toEqual(['reveals']);
    // After more than a week.
    await vault.database.owner.query('delete from audit_alerts where tenant_id = $1', [tenant.id]);
    await vault.database.owner.query('delete from audit_watched where tenant_id = $1', [tenant.id]);
    await act(places.two, { count: 8, hoursAgo: 1 });
    await outage.restore();
    await onTwo.watch();
    await atHome.watch();
    expect(await alerts()).toEqual(['reveals']);
  });

  it('need no window any more that all nodes have seen the end of', async () => {
    await act(places.one, { count: 5, hoursAgo: 5 });
    await onOne.watch();
    await vault.database.owner.query(`update audit_watched set seen_at = now() - interval '5 hours'`);
    const left = async () => {
      const { rowCount } = await vault.database.owner.query('select from audit_watched where tenant_id = $1', [
        tenant.id,
      ]);
      return rowCount;
    };
    expect(await left()).toBe(5);
    await vault.database.owner.query('update audit_watched_nodes set seen_until = now()');
    await startAtHome().watch();
    expect(await left()).toBe(0);
  });
});

describe('a watcher of a node that dies after home has counted', () => {
  it.each([false, true])('counts nothing twice, with more to see afterwards: %s', async (isMore) => {
    const { owner } = places.two;
    await owner.query(`create function die() returns trigger language plpgsql as $$ begin raise 'as planned'; end $$`);
    await owner.query('create trigger dies before update on audit_watch_position for each row execute function die()');
    await act(places.two, { count: 5, isMiss: true });
    await expect(onTwo.watch()).rejects.toThrow('P0001');
    await expect(onTwo.watch()).rejects.toThrow('P0001');
    if (isMore) await act(places.two, { count: 2, isMiss: true });
    await owner.query('drop function die() cascade');
    while ((await onTwo.watch()).isFull);
    await atHome.watch();
    const { rows } = await vault.database.owner.query<{ occurrences: string }>(
      'select occurrences from audit_watched where tenant_id = $1',
      [tenant.id],
    );
    expect(rows).toEqual([{ occurrences: isMore ? '7' : '5' }]);
    expect(await alerts()).toEqual([]);
    await act(places.one, { count: isMore ? 1 : 3, isMiss: true });
    await onOne.watch();
    await atHome.watch();
    expect(await alerts()).toEqual(['misses']);
  });
});
