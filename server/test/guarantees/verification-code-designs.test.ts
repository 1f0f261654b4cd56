import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Mac } from '../../src/platform/keyring/cvc/epoch-message.ts';
import type { RecordBinding } from '../../src/platform/keyring/sealing/sealed-record.ts';
import { CanaryScanner } from '../harness/canary-scanner.ts';
import { type EpochServer, EpochServers, macUnder } from '../harness/epoch-servers.ts';
import { LocalRedis } from '../harness/local-redis.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';

/** The designs that docs/adr/0044-sharing-keys-of-verification-codes.md compares, and what it states about each. */
const binding: RecordBinding = { tenantId: 't1', tokenId: 'k1', field: 'cvc', recordVersion: 1, type: 'card' };

describe('three servers behind a load balancer', () => {
  let test: TestDatabase;
  let servers: EpochServers;
  beforeEach(async () => {
    test = await createTestDatabase();
    servers = new EpochServers(test.url);
  });
  afterEach(async () => {
    await servers.stopAll();
    await test.drop();
  });

  /** Returns how many codes can be decrypted if each server stores one for every server that will use it. */
  async function countOpened(
    from: readonly EpochServer[],
    to: readonly EpochServer[],
    between: () => Promise<void> = () => Promise.resolve(),
  ) {
    const records = from.map(({ keys }) => keys.seal('123', binding));
    await between();
    const openings = to.flatMap(({ keys }) => records.map((record) => keys.open(record, binding)));
    await servers.wire.quiet();
    servers.clock.move(1_000);
    return (await Promise.all(openings)).filter((text) => text === '123').length;
  }
  const joinThree = async (macs: (Mac | undefined)[]) => {
    const joined: EpochServer[] = [];
    for (const mac of macs) joined.push(await servers.join(mac === undefined ? {} : { mac }));
    await servers.wire.quiet();
    return joined;
  };
  const silent = () => [1, 2, 3].map(() => macUnder(randomBytes(32)));
  const sharing = () => [undefined, undefined, undefined];

  it('open one code of three if they do not share keys, and all of them if they do', async () => {
    const apart = await joinThree(silent());
    expect(await countOpened(apart, apart)).toBe(3);
    await servers.stopAll();
    const together = await joinThree(sharing());
    expect(await countOpened(together, together)).toBe(9);
  });

  it('lose every code to a rolling update if they do not share keys, and none if they do', async () => {
    for (const [macs, expected] of [
      [silent, 0],
      [sharing, 9],
    ] as const) {
      const older = await joinThree(macs());
      const newer: EpochServer[] = [];
      const replaceAll = async () => {
        for (const [index, mac] of macs().entries()) {
          newer.push(...(await joinThree([mac])));
          await servers.stop(older[index] ?? expect.unreachable());
        }
      };
      expect(await countOpened(older, newer, replaceAll)).toBe(expected);
      await servers.stopAll();
    }
  });
});

describe('a Redis that was started without persistence', () => {
  let local: LocalRedis;
  let redis: Redis;
  beforeEach(async () => {
    local = await LocalRedis.start();
    redis = new Redis(local.url);
  });
  afterEach(async () => {
    redis.disconnect();
    await local.stop();
  });

  const secret = randomBytes(32);
  /** Commands that any client can send, without a restart and without a change to the configuration file. */
  const commands: Record<string, (client: Redis) => Promise<unknown>> = {
    SAVE: (client) => client.save(),
    'CONFIG SET save': (client) => client.config('SET', 'save', '1 1'),
    BGSAVE: (client) => client.bgsave(),
  };
  it.each(Object.entries(commands))('writes a key that it holds to disk after %s', async (_, command) => {
    const [, directory = ''] = await redis.config('GET', 'dir');
    await redis.set('epoch', secret, 'EX', 3_900);
    const find = async () =>
      (await new CanaryScanner([{ name: 'secret', bytes: secret }]).scanDirectory(directory)).found;
    expect([await readdir(directory), await find()]).toEqual([[], []]);
    await command(redis);
    await expect.poll(find, { timeout: 10_000 }).toContainEqual(expect.stringContaining('secret'));
  });
});
