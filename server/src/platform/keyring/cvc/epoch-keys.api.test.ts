import { createSecretKey } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type EpochServer, EpochServers, type TestClock } from '../../../../test/harness/epoch-servers.ts';
import { createTestDatabase, type TestDatabase } from '../../../../test/harness/test-database.ts';
import { keyVersionOf, type RecordBinding, SealedRecordError, sealRecord } from '../sealing/sealed-record.ts';
import { EpochKeys } from './epoch-keys.ts';
import { EpochStore } from './epoch-store.ts';
import { makeSecret } from './secret-memory.ts';
import type { Timers } from './timers.ts';
import { untilPasses } from '../../../../test/harness/deadline.ts';

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const binding: RecordBinding = { tenantId: 't1', tokenId: 'k1', field: 'cvc', recordVersion: 1, type: 'card' };

let test: TestDatabase;
let all: EpochServers;
let clock: TestClock;

beforeEach(async () => {
  test = await createTestDatabase();
  all = new EpochServers(test.url);
  ({ clock } = all);
});
afterEach(async () => {
  await all.stopAll();
  await test.drop();
});

const join = (options: { url?: string } = {}) => all.join(options);
const stop = (server: EpochServer) => all.stop(server);
const quiet = () => all.wire.quiet();
const pass = (ms: number) => all.pass(ms);

const secretsOf = ({ store }: EpochServer) => store.list(clock.now()).map(({ secret }) => secret);
const idsOf = ({ store }: EpochServer) =>
  store
    .list(clock.now())
    .map(({ id }) => id)
    .sort((a, b) => a - b);
const zeros = Buffer.alloc(32);

describe('a code sealed by one server', () => {
  it('opens on every other at once, two hundred times over the changes of epochs', async () => {
    const [a, b, c] = [await join(), await join(), await join()];
    const epochs = new Set<number>();
    for (let round = 0; round < 200; round += 1) {
      const record = a.keys.seal(`code ${round}`, binding);
      epochs.add(keyVersionOf(record));
      expect(await b.keys.open(record, binding)).toBe(`code ${round}`);
      expect(await c.keys.open(record, binding)).toBe(`code ${round}`);
      expect(await a.keys.open(record, binding)).toBe(`code ${round}`);
      await pass(30 * secondMs);
    }
    expect(epochs.size).toBe(20);
    // Each server has 13 live epochs and at most one prepared epoch, for as long as it runs.
    for (const server of [a, b, c]) expect(server.store.size).toBeLessThanOrEqual(3 * 14);
  });

  it('is known to the others before it is used: nobody has to ask', async () => {
    const [a, b] = [await join(), await join()];
    for (let round = 0; round < 4; round += 1) {
      await quiet();
      const record = a.keys.seal('1', binding);
      expect(b.store.has(keyVersionOf(record))).toBe(true);
      await pass(5 * minuteMs);
    }
  });

  it('opens between servers that all start together', async () => {
    const six = await Promise.all(Array.from({ length: 6 }, () => join()));
    for (const from of six) {
      const record = from.keys.seal(from.name, binding);
      for (const to of six) expect(await to.keys.open(record, binding)).toBe(from.name);
    }
  });

  it('opens on a server that came later', async () => {
    const a = await join();
    const records = [];
    for (let round = 0; round < 10; round += 1) {
      records.push(a.keys.seal(`code ${round}`, binding));
      await pass(5 * minuteMs);
    }
    const late = await join();
    expect(idsOf(late)).toEqual(expect.arrayContaining(records.map(keyVersionOf)));
    for (const [round, record] of records.entries()) {
      expect(await late.keys.open(record, binding)).toBe(`code ${round}`);
    }
  });

  it('outlives its server through a chain of servers that were never there together', async () => {
    const a = await join();
    const record = a.keys.seal('123', binding);
    let last = a;
    for (let round = 0; round < 5; round += 1) {
      const next = await join();
      await stop(last);
      last = next;
      await pass(10 * minuteMs);
    }
    expect(await last.keys.open(record, binding)).toBe('123');
  });

  it('is lost with a server that was alone', async () => {
    const a = await join();
    const record = a.keys.seal('123', binding);
    await stop(a);
    const restarted = await join();
    const opening = restarted.keys.open(record, binding);
    clock.move(secondMs);
    expect(await opening).toBeUndefined();
  });

  it('opens for an hour, and then its key is destroyed everywhere', async () => {
    const [a, b, c] = [await join(), await join(), await join()];
    const first = a.keys.seal('first', binding);
    await pass(5 * minuteMs - 1);
    const last = a.keys.seal('last', binding);
    expect(keyVersionOf(last)).toBe(keyVersionOf(first));
    const copies = [a, b, c].map(({ store }) => store.find(keyVersionOf(last), clock.now())?.secret ?? zeros);
    for (const copy of copies) expect(copy).not.toEqual(zeros);

    await pass(60 * minuteMs);
    for (const { keys } of [a, b, c]) expect(await keys.open(last, binding)).toBe('last');
    await pass(1);
    for (const copy of copies) expect(copy).toEqual(zeros);
    for (const { keys } of [a, b, c]) {
      expect(await keys.open(first, binding)).toBeUndefined();
      expect(await keys.open(last, binding)).toBeUndefined();
    }
  });

  it('is destroyed in time also where it came from a server that is gone, shortly before its end', async () => {
    const a = await join();
    const record = a.keys.seal('123', binding);
    await pass(62 * minuteMs);
    const late = await join();
    await stop(a);
    const { secret = zeros } = late.store.find(keyVersionOf(record), clock.now()) ?? {};
    await pass(3 * minuteMs - 1);
    expect(secret).not.toEqual(zeros);
    expect(await late.keys.open(record, binding)).toBe('123');
    clock.move(1);
    expect(secret).toEqual(zeros);
  });

  it('is asked for when it is needed, and its key is destroyed in time there as well', async () => {
    const [a, b] = [await join(), await join()];
    const secret = makeSecret();
    const record = sealRecord(Buffer.from('123'), binding, { version: 7, key: createSecretKey(secret) });
    // This simulates an epoch of a third server that the two servers knew at different times.
    a.store.addForeign({ id: 7, endsAt: clock.now() + 2 * minuteMs, secret });
    expect(await b.keys.open(record, binding)).toBe('123');
    const copy = b.store.find(7, clock.now())?.secret;
    clock.move(2 * minuteMs - 1);
    expect(copy).not.toEqual(zeros);
    clock.move(1);
    expect(copy).toEqual(zeros);
  });

  it('is not opened past its time although the timer that destroys its key is late', async () => {
    const now = { ms: 0 };
    const late: Timers = { after: () => () => undefined };
    const store = new EpochStore();
    const keys = await EpochKeys.start({
      url: test.url,
      mac: all.wire.macOf('late'),
      now: () => now.ms,
      timers: late,
      store,
    });
    try {
      const record = keys.seal('123', binding);
      const [secret] = store.list(0).map((epoch) => epoch.secret);
      now.ms = 65 * minuteMs - 1;
      expect(await keys.open(record, binding)).toBe('123');
      now.ms += 1;
      expect(keyVersionOf(keys.seal('456', binding))).not.toBe(keyVersionOf(record));
      expect(await keys.open(record, binding)).toBeUndefined();
      expect(secret).toEqual(zeros);
    } finally {
      await keys.stop();
    }
  });

  it('is sealed with a key of at most five minutes', async () => {
    const { keys } = await join();
    const ids = [];
    for (let second = 0; second < 30 * 60; second += 10) {
      ids.push(keyVersionOf(keys.seal('1', binding)));
      clock.move(10 * secondMs);
    }
    const uses = Map.groupBy(ids, (id) => id);
    expect(uses.size).toBe(6);
    for (const [, { length }] of uses) expect(length).toBe(30);
  });
});

describe('open', () => {
  it.each([
    ['tenant', { tenantId: 't2' }],
    ['token', { tokenId: 'k2' }],
    ['field', { field: 'number' }],
    ['version', { recordVersion: 2 }],
    ['type', { type: 'card_number' }],
  ])('refuses a record of another %s, here and on another server', async (_, change) => {
    const [a, b] = [await join(), await join()];
    const record = a.keys.seal('123', binding);
    for (const { keys } of [a, b]) {
      await expect(keys.open(record, { ...binding, ...change })).rejects.toThrow(SealedRecordError);
    }
  });

  it('refuses a record that was changed behind its header', async () => {
    const { keys } = await join();
    const record = keys.seal('123', binding);
    for (let index = 6; index < record.length; index += 1) {
      const changed = Buffer.from(record);
      changed.writeUInt8((changed[index] ?? 0) ^ 1, index);
      await expect(keys.open(changed, binding)).rejects.toThrow(SealedRecordError);
    }
    await expect(keys.open(record.subarray(0, 70), binding)).rejects.toThrow(SealedRecordError);
    await expect(keys.open(Buffer.alloc(0), binding)).rejects.toThrow(SealedRecordError);
  });

  it('waits a second for a key that nobody has, once for all who want it, and not again', async () => {
    const [a, b] = [await join(), await join()];
    const record = b.keys.seal('123', binding);
    record.writeUInt32BE((keyVersionOf(record) ^ 1) >>> 0, 2);
    const openings = Promise.all(Array.from({ length: 100 }, () => a.keys.open(record, binding)));
    clock.move(secondMs);
    expect(new Set(await openings)).toEqual(new Set([undefined]));
    expect(await a.keys.open(record, binding)).toBeUndefined();
  });

  it('brings text of every kind back as it was', async () => {
    const { keys } = await join();
    for (const text of ['', '123', '0007', 'é😀', ' "\u0000']) {
      expect(await keys.open(keys.seal(text, binding), binding)).toBe(text);
    }
  });
});

describe('usage', () => {
  it('tells how many keep the keys', async () => {
    const a = await join();
    expect(a.keys.usage).toEqual({ peers: 0, epochs: 1, isConnected: true });
    const b = await join();
    await join();
    await quiet();
    expect(a.keys.usage).toEqual({ peers: 2, epochs: 3, isConnected: true });
    await stop(b);
    // A server that has not been heard from for the life of a key is no longer a peer. Its epochs are kept.
    await pass(6 * minuteMs);
    expect(a.keys.usage).toEqual({ peers: 1, epochs: 5, isConnected: true });
    await stop(a);
    expect(a.keys.usage).toMatchObject({ epochs: 0, isConnected: false });
  });
});

describe('stop', () => {
  it('wipes every secret, its own and those of others', async () => {
    const [a, b] = [await join(), await join()];
    await quiet();
    const record = b.keys.seal('123', binding);
    const secrets = secretsOf(a);
    expect(secrets.length).toBeGreaterThanOrEqual(2);
    await stop(a);
    for (const secret of secrets) expect(secret).toEqual(zeros);
    expect(a.store.size).toBe(0);
    expect(() => a.keys.seal('123', binding)).toThrow('before start or after stop');
    expect(await a.keys.open(record, binding)).toBeUndefined();
    expect(await b.keys.open(record, binding)).toBe('123');
  });

  it('lets go of anyone who waits for a key, and of the connection', async () => {
    const a = await join();
    const record = a.keys.seal('123', binding);
    record.writeUInt32BE((keyVersionOf(record) ^ 1) >>> 0, 2);
    const opening = a.keys.open(record, binding);
    await stop(a);
    expect(await opening).toBeUndefined();
    await untilPasses(async () => {
      const { rows } = await test.owner.query(
        `select 1 from pg_stat_activity where datname = current_database() and application_name = 'strongroom epochs'`,
      );
      expect(rows).toEqual([]);
    });
  });
});

describe('a line that is cut', () => {
  const cut = () =>
    test.owner.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name = 'strongroom epochs'`,
    );

  it('stops nobody from sealing, and heals: keys made meanwhile reach the others', async () => {
    const [a, b] = [await join(), await join()];
    await quiet();
    all.wire.listening.clear();
    for (let round = 0; round < 3; round += 1) {
      await cut();
      clock.move(5 * minuteMs);
      const record = a.keys.seal(`code ${round}`, binding);
      // The test clock does not advance, so this waits until the servers have found each other again.
      expect(await b.keys.open(record, binding)).toBe(`code ${round}`);
    }
  });

  it('heals although the servers have forgotten each other', async () => {
    const [a, b] = [await join(), await join()];
    const before = a.keys.seal('before', binding);
    await quiet();
    all.wire.listening.clear();
    await cut();
    clock.move(20 * minuteMs);
    const record = a.keys.seal('meanwhile', binding);
    expect(await b.keys.open(record, binding)).toBe('meanwhile');
    expect(await b.keys.open(before, binding)).toBe('before');
  });

  it('is no reason not to start: sealing needs no database', async () => {
    const { keys } = await join({ url: 'postgresql://nobody@127.0.0.1:1/none' });
    expect(await keys.open(keys.seal('123', binding), binding)).toBe('123');
  });
});
