import { createSecretKey, randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { rotateExchangeKey } from '../../src/features/keys/index.ts';
import type { Database } from '../../src/platform/database/database.ts';
import { lifeMs } from '../../src/platform/keyring/cvc/epoch.ts';
import { makeSecret } from '../../src/platform/keyring/cvc/secret-memory.ts';
import { FileRootKey } from '../../src/platform/keyring/kms/file/file-root-key.ts';
import { RootKeys } from '../../src/platform/keyring/kms/root-keys.ts';
import { keyVersionOf, openRecord, type RecordBinding } from '../../src/platform/keyring/sealing/sealed-record.ts';
import { SystemKeys } from '../../src/platform/keyring/keys/system-keys.ts';
import { bytesOf, CopiedServer, EpochAttacker, messageOf, readMessage } from '../harness/epoch-attacker.ts';
import { type EpochServer, EpochServers, macUnder, Wire } from '../harness/epoch-servers.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';

/**
 * docs/security/verification-codes.md states what an attacker in each position can do to the key exchange between
 * servers. These tests check its claims on servers that communicate through a real database.
 */
const minuteMs = 60_000;
const binding: RecordBinding = { tenantId: 't1', tokenId: 'k1', field: 'cvc', recordVersion: 1, type: 'card' };
const zeros = Buffer.alloc(32);

let test: TestDatabase;
let database: Database;
const rootKeys = new RootKeys(new FileRootKey(randomBytes(32)));
let servers: EpochServers;
let attacker: EpochAttacker;
let copied: CopiedServer | undefined;
beforeAll(async () => {
  test = await createTestDatabase();
  database = test.open();
});
afterAll(() => test.drop());
beforeEach(async () => {
  const systemKeys = await SystemKeys.load(database, rootKeys);
  servers = new EpochServers(test.url, new Wire((message) => systemKeys.authenticate(message)));
  attacker = await EpochAttacker.listen(test.url, servers);
});
afterEach(async () => {
  await copied?.stop();
  copied = undefined;
  await servers.stopAll();
  await attacker.stop();
});

async function joinCopied(mac?: ConstructorParameters<typeof Wire>[0]): Promise<CopiedServer> {
  copied = await CopiedServer.join(test.url, servers, mac);
  return copied;
}
const idsOf = ({ store }: EpochServer) => store.list(servers.clock.now()).map(({ id }) => id);
const endsOf = ({ store }: EpochServer) =>
  new Map(store.list(servers.clock.now()).map(({ id, endsAt }) => [id, endsAt]));

/** Returns the newest message of this kind that the servers have sent. */
function newestOf(kind: 'hello' | 'want' | 'keys'): string {
  const found = attacker.heard.findLast((payload) => readMessage(payload)?.kind === kind);
  if (found === undefined) throw new Error(`No server has sent ${kind} yet.`);
  return found;
}

/** Starts two servers that have sent each kind of message at least once. */
async function twoServers(): Promise<[EpochServer, EpochServer]> {
  const [a, b] = [await servers.join(), await servers.join()];
  await servers.wire.quiet();
  const unknown = a.keys.seal('123', binding);
  unknown.writeUInt32BE((keyVersionOf(unknown) ^ 1) >>> 0, 2);
  void b.keys.open(unknown, binding);
  await servers.wire.quiet();
  return [a, b];
}

describe('a login without the exchange key', () => {
  /** The fields of a message, and how the attacker changes each. */
  const fields = {
    version: (message: Buffer) => message.writeUInt8(2, 0),
    kind: (message: Buffer) => message.writeUInt8((message.readUInt8(1) % 3) + 1, 1),
    process: (message: Buffer) => randomBytes(16).copy(message, 2),
    counter: (message: Buffer) => message.writeUIntBE(2 ** 48 - 1, 18, 6),
    'public key': (message: Buffer) => attacker.keyPair.publicKey.copy(message, 24),
    age: (message: Buffer) => message.writeUInt32BE(0, 56),
    'process and public key': (message: Buffer) =>
      randomBytes(16).copy(message, 2) + attacker.keyPair.publicKey.copy(message, 24),
  };
  const kinds = ['hello', 'want', 'keys'] as const;
  const cases = kinds.flatMap((kind) => Object.entries(fields).map(([field, change]) => ({ kind, field, change })));

  it.each(cases)('gets no key and changes nothing with another $field in a $kind', async ({ kind, change }) => {
    const all = await twoServers();
    const before = all.map(endsOf);
    const forged = bytesOf(newestOf(kind));
    change(forged);
    const said = attacker.heard.length;
    await attacker.say(forged.toString('base64'));
    expect(attacker.heard).toHaveLength(said + 1);
    expect(attacker.parcels).toBe(0);
    expect(all.map(endsOf)).toEqual(before);
    expect(all.map(({ keys }) => keys.usage.peers)).toEqual([1, 1]);
  });

  /** Values that the vault's roles, or a reader of its tables, could take for the key. */
  const guesses: Record<string, () => Promise<Buffer>> = {
    zeros: async () => zeros,
    'the wrapped key': async () => {
      const { rows } = await test.owner.query(`select wrapped from system_keys where purpose = 'exchange'`);
      return (rows as { wrapped: Buffer }[])[0]?.wrapped ?? zeros;
    },
    'the ciphertext in the wrapped key': async () => (await guesses['the wrapped key']?.())?.subarray(13, 45) ?? zeros,
    'the public key of a server': async () => readMessage(newestOf('hello'))?.sender.publicKey ?? zeros,
  };
  it.each(Object.entries(guesses))('poses as no server with %s', async (_, guess) => {
    const all = await twoServers();
    const impostor = await joinCopied(macUnder(await guess()));
    void impostor.exchange.hello();
    void impostor.exchange.want(all.flatMap(idsOf));
    await servers.wire.quiet();
    expect(impostor.store.size).toBe(0);
    expect(all.map(({ keys }) => keys.usage.peers)).toEqual([1, 1]);
  });

  const vaultRoles = ['app', 'system', 'portal', 'worker', 'sealer'].map((role) => `strongroom_${role}`);
  it.each([...vaultRoles, 'pg_monitor'])('hears messages as %s and learns no key from them', async (role) => {
    const all = await twoServers();
    const secrets = all.flatMap(({ store }) => store.listOwn(0).map(({ secret }) => Buffer.from(secret)));
    await attacker.client.query(`set role ${role}`);
    await attacker.client.query('unlisten *; listen strongroom_epochs');
    await servers.join();
    await servers.wire.quiet();
    const spoken = Buffer.concat(attacker.heard.map(bytesOf));
    expect(attacker.heard.some((payload) => readMessage(payload)?.kind === 'keys')).toBe(true);
    for (const secret of secrets) expect(spoken.includes(secret)).toBe(false);
    expect(attacker.open([attacker.keyPair, { publicKey: zeros, secret: zeros }])).toEqual([]);
  });
});

describe('messages that are played again', () => {
  const orders = { 'in order': (all: string[]) => all, backwards: (all: string[]) => all.toReversed() };
  const moments = {
    'at once': 0,
    'while keys still receive': 45_000,
    'after five minutes': 5 * minuteMs,
    'after the end of their epochs': lifeMs,
  };
  const cases = Object.entries(orders).flatMap(([order, sort]) =>
    Object.entries(moments).map(([moment, ms]) => ({ order, sort, moment, ms })),
  );
  it.each(cases)('$moment, $order, prolong nothing and bring nothing back', async ({ sort, ms }) => {
    const [a, b] = await twoServers();
    const record = a.keys.seal('123', binding);
    const played = sort([...attacker.heard]);
    await servers.pass(ms);
    // This server has received none of these messages, and knows the counters only from the messages
    // that the others send now.
    const fresh = await servers.join();
    await servers.wire.quiet();
    const before = [a, b, fresh].map(endsOf);
    const said = attacker.heard.length;
    await attacker.say(...played);
    expect(attacker.heard).toHaveLength(said + played.length);
    expect([a, b, fresh].map(endsOf)).toEqual(before);
    for (const { keys } of [a, b, fresh]) {
      const opened = keys.open(record, binding);
      servers.clock.move(1_000);
      expect(await opened).toBe(ms < lifeMs ? '123' : undefined);
    }
  });
});

describe('a message that is held back', () => {
  const leftMs = [31_000, 45_000, 60_000, 75_000, 89_999, 90_000, 120_000, 200_000, 299_000, 329_000];
  const cases = leftMs.flatMap((left) => (['hello', 'want'] as const).map((kind) => ({ left, kind })));

  it.each(cases)(
    'in reply to a $kind cannot be opened with the memory of its receiver once an epoch with $left ms left has ended',
    async ({ left, kind }) => {
      const a = await servers.join();
      a.store.addForeign({ id: 7, endsAt: servers.clock.now() + left, secret: makeSecret() });
      const victim = await joinCopied();
      victim.isDeaf = true;
      void (kind === 'hello' ? victim.exchange.hello() : victim.exchange.want([7, ...idsOf(a)]));
      await servers.wire.quiet();
      // The attack is realistic: a message was sent, and it can be decrypted while its epochs are alive.
      expect(attacker.open(victim.copyMemory().receiveKeys)).toContain(idsOf(a)[0]);
      expect(attacker.open(victim.copyMemory().receiveKeys).includes(7)).toBe(left >= 90_000);
      servers.clock.move(left);
      expect(a.store.find(7, servers.clock.now())).toBeUndefined();
      expect(attacker.open(victim.copyMemory().receiveKeys)).not.toContain(7);
    },
  );
});

describe('the memory of a server', () => {
  it('with every message of two hours gives the keys that the server has, and none that has ended', async () => {
    const [a] = [await servers.join(), await servers.join()];
    const victim = await joinCopied();
    void victim.exchange.hello();
    await servers.wire.quiet();
    let openedWhileAlive = 0;
    for (let minutes = 0; minutes < 120; minutes += 5) {
      await servers.pass(5 * minuteMs);
      const memory = victim.copyMemory();
      const opened = attacker.open(memory.receiveKeys);
      openedWhileAlive += opened.length;
      expect(memory.epochs).toEqual(expect.arrayContaining(opened));
      // A copy may expire earlier by the transit time of messages, which is zero here.
      expect(new Set(memory.epochs)).toEqual(new Set(idsOf(a)));
    }
    expect(openedWhileAlive).toBeGreaterThan(0);
  });

  it('opens a code until its key has ended, and is of no use afterwards', async () => {
    const [a, b] = await twoServers();
    const record = a.keys.seal('123', binding);
    const copies = () => b.store.list(0).map(({ secret }) => Buffer.from(secret));
    const opens = (secrets: Buffer[]) =>
      secrets.some((secret) => {
        try {
          const key = { version: keyVersionOf(record), key: createSecretKey(secret) };
          return openRecord(record, binding, key).toString() === '123';
        } catch {
          return false;
        }
      });
    await servers.pass(lifeMs - 1);
    expect(opens(copies())).toBe(true);
    await servers.pass(1);
    expect(copies().length).toBeGreaterThan(0);
    expect(opens(copies())).toBe(false);
  });
});

describe('somebody with the exchange key', () => {
  it('gets every key of the last hour over the live database, as the page says', async () => {
    const all = await twoServers();
    await servers.pass(10 * minuteMs);
    const impostor = await joinCopied();
    void impostor.exchange.hello();
    await servers.wire.quiet();
    expect(new Set(impostor.copyMemory().epochs)).toEqual(new Set(all.flatMap(idsOf)));
  });

  it('opens nothing that was recorded before', async () => {
    await twoServers();
    await servers.pass(2 * minuteMs);
    const impostor = await joinCopied();
    const others = attacker.heard.flatMap((payload) => readMessage(payload)?.sender.publicKey ?? []);
    const keys = others.map((publicKey) => ({ ...impostor.exchange.receiveKeys.newest, publicKey }));
    expect(keys.length).toBeGreaterThan(4);
    expect(attacker.open(keys)).toEqual([]);
  });

  it('gets nothing more once it was replaced and servers were restarted, whatever root key it came from', async () => {
    const stolen = await SystemKeys.load(database, rootKeys);
    for (const server of await twoServers()) await servers.stop(server);
    await rotateExchangeKey({ database, rootKeys });
    const renewed = await SystemKeys.load(database, rootKeys);
    const mac = (message: Buffer) => renewed.authenticate(message);
    const [a, b] = [await servers.join({ mac }), await servers.join({ mac })];
    expect(await b.keys.open(a.keys.seal('123', binding), binding)).toBe('123');
    const impostor = await joinCopied((message) => stolen.authenticate(message));
    void impostor.exchange.hello();
    void impostor.exchange.want(idsOf(a));
    await servers.wire.quiet();
    expect(impostor.store.size).toBe(0);
    await attacker.say(...attacker.heard.filter((payload) => messageOf(payload).length > 0));
    expect(attacker.parcels).toBe(0);
  });
});

describe('a server with a wrong clock', () => {
  it.each([-1e9, 1e12, 123_456.789])('that is %d ms off keeps a key for as long as the others', async (offsetMs) => {
    const a = await servers.join();
    const wrong = await servers.join({ now: () => servers.clock.now() + offsetMs });
    const records = [a.keys.seal('123', binding), wrong.keys.seal('123', binding)];
    await servers.pass(lifeMs - 2);
    for (const { keys } of [a, wrong]) for (const one of records) expect(await keys.open(one, binding)).toBe('123');
    await servers.pass(2);
    for (const { keys } of [a, wrong]) for (const one of records) expect(await keys.open(one, binding)).toBeUndefined();
  });
});
