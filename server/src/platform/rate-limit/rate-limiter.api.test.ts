import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { fastest, untilTrue } from '../../../test/harness/deadline.ts';
import { observeBlock } from '../../../test/harness/observed-block.ts';
import { LocalRedis } from '../../../test/harness/local-redis.ts';
import { type RateLimitScope, rateLimitTable, shareOf, withLimits } from './rate-limit-table.ts';
import { RateLimiter, type RateLimiterOptions, type Refusal } from './rate-limiter.ts';

const opened: RateLimiter[] = [];
afterEach(() => {
  for (const limiter of opened.splice(0)) limiter.close();
});

/** Opens a limiter with a long timeout for Redis by default, because these tests share two cores with others. */
async function open(options: Partial<RateLimiterOptions> = {}): Promise<RateLimiter> {
  const limiter = new RateLimiter({
    table: withLimits({ global: 40, 'token-write': 15 }),
    redisWaitMs: 2_000,
    ...options,
  });
  opened.push(limiter);
  if (options.redisUrl !== undefined) await untilShared(limiter, true);
  return limiter;
}

const untilShared = (limiter: RateLimiter, wanted: boolean) =>
  untilTrue(() => limiter.isShared === wanted, { waitingFor: `sharing to be ${wanted}` });

async function send(limiter: RateLimiter, count: number, scopes: readonly RateLimitScope[], client: string) {
  const refusals = await Promise.all(Array.from({ length: count }, async () => limiter.count(scopes, client)));
  return { admitted: refusals.filter((refusal) => refusal === undefined).length, refusals };
}

describe('the table', () => {
  it('is that of the API', () => {
    const rows = (['global', 'portal', 'token-search', 'token-list', 'token-write'] as const).map((scope) => {
      const { limit, windowMs, blockMs } = rateLimitTable[scope];
      return [scope, limit, windowMs, blockMs];
    });
    expect(rows).toEqual([
      ['global', 1_000, 10_000, 10_000],
      ['portal', 600, 10_000, 10_000],
      ['token-search', 50, 10_000, 10_000],
      ['token-list', 100, 10_000, 10_000],
      ['token-write', 200, 10_000, 10_000],
    ]);
  });

  it('divides limits among servers, and those that stay closed by ten at least', () => {
    expect([1, 2, 3].map((servers) => shareOf(rateLimitTable.global, servers))).toEqual([1_000, 500, 334]);
    expect([1, 2, 20].map((servers) => shareOf(rateLimitTable['key-guessing'], servers))).toEqual([10, 10, 5]);
    expect(shareOf(rateLimitTable.mail, 1)).toBe(5);
  });
});

describe('one server', () => {
  it('counts without a promise', async () => {
    const limiter = await open();
    expect(limiter.count(['global'], 'a')).toBeUndefined();
  });

  it('counts every request as global too, and what a scope refuses as well', async () => {
    const limiter = await open();
    expect((await send(limiter, 30, ['global', 'token-write'], 'a')).admitted).toBe(15);
    expect((await send(limiter, 30, ['global'], 'a')).admitted).toBe(10);
    expect(limiter.findBlock('token-write', 'a')).toMatchObject({ scope: 'token-write' });
  });
});

describe('two servers with Redis', () => {
  it.each([
    ['the scope', 60, 15],
    ['all requests', 200, 40],
  ])('let through together what %s allows, not twice that', async (what, count, limit) => {
    const redisUrl = inject('redisUrl');
    const limiters = await Promise.all([open({ redisUrl }), open({ redisUrl })]);
    const client = randomUUID();
    const scopes: RateLimitScope[] = what === 'the scope' ? ['global', 'token-write'] : ['global'];
    const sent = await Promise.all(limiters.map((limiter) => send(limiter, count / 2, scopes, client)));
    expect(sent.reduce((sum, { admitted }) => sum + admitted, 0)).toBe(limit);
  });

  it('let through together what is allowed when requests come one by one', async () => {
    const redisUrl = inject('redisUrl');
    const [first, second] = await Promise.all([open({ redisUrl }), open({ redisUrl })]);
    const client = randomUUID();
    let admitted = 0;
    for (let round = 0; round < 30; round += 1) {
      const limiter = round % 2 === 0 ? first : second;
      if ((await limiter.count(['global', 'token-write'], client)) === undefined) admitted += 1;
    }
    expect(admitted).toBe(15);
    // The limiter does not wait for the count of a rejected request. After a later round trip has completed, the count
    // has arrived.
    await Promise.all([first.count(['global'], randomUUID()), second.count(['global'], randomUUID())]);
    // Every rejected request also counted against the global limit, so 30 of 40 are used up.
    const sent = await Promise.all([send(first, 20, ['global'], client), send(second, 20, ['global'], client)]);
    expect(sent.reduce((sum, { admitted }) => sum + admitted, 0)).toBe(10);
  });

  it('block for exactly as long as the table says, on both, and begin again', async () => {
    const redisUrl = inject('redisUrl');
    const short = withLimits({ global: 5 });
    const blockMs = 1_500;
    const table = { ...short, global: { ...short.global, windowMs: 60_000, blockMs } };
    const [first, second] = await Promise.all([open({ redisUrl, table }), open({ redisUrl, table })]);
    // If asking the second server takes longer than the block lasts, the test tries again.
    const hasAskedInTime = async () => {
      const client = randomUUID();
      await send(first, 5, ['global'], client);
      const asked: { refusal: Refusal | undefined; sentAt: number; ms: number }[] = [];
      const block = await observeBlock(async () => {
        const sentAt = performance.now();
        const refusal = await (asked.length === 0 ? first : second).count(['global'], client);
        asked.push({ refusal, sentAt, ms: performance.now() - sentAt });
        return refusal !== undefined;
      });
      const [begun, next] = asked;
      expect(begun?.refusal?.msLeft).toBeGreaterThan(blockMs - 100);
      expect(block.atMostMs).toBeGreaterThan(blockMs - 200);
      if (next?.refusal === undefined) {
        // The block cannot have ended early.
        expect((next?.sentAt ?? 0) + (next?.ms ?? 0) - (begun?.sentAt ?? 0)).toBeGreaterThan(blockMs - 200);
        return false;
      }
      expect(next.refusal).toMatchObject({ scope: 'global' });
      // A server measures a block from the moment at which it learns of it, which is later by the response time of
      // Redis.
      expect(block.atLeastMs).toBeLessThan(blockMs + 200 + Math.max(...asked.map(({ ms }) => ms)));
      await untilTrue(() => first.findBlock('global', client) === undefined, { waitingFor: 'the first server' });
      expect((await send(first, 10, ['global'], client)).admitted).toBe(4);
      return true;
    };
    await untilTrue(hasAskedInTime, { waitingFor: 'a machine that asks during the block' });
  });

  it('remember a blocked client, so that a flood does not reach Redis', async () => {
    const redis = await LocalRedis.start();
    const limiter = await open({ redisUrl: redis.url });
    await send(limiter, 41, ['global'], 'flood');
    redis.pause();
    for (let count = 0; count < 1_000; count += 1) {
      expect(limiter.count(['global'], 'flood')).toMatchObject({ scope: 'global' });
    }
    await redis.stop();
  });
});

describe('while Redis is away', () => {
  it('a server that never heard it counts for itself', async () => {
    const limiter = new RateLimiter({ table: withLimits({ global: 40 }), redisUrl: 'redis://127.0.0.1:1' });
    opened.push(limiter);
    expect(limiter.isShared).toBe(false);
    expect((await send(limiter, 100, ['global'], 'a')).admitted).toBe(40);
  });

  it.each(['stopped', 'paused'] as const)(
    'each server lets its share through, and counts together after (%s)',
    async (how) => {
      const redis = await LocalRedis.start();
      const limiters = await Promise.all([1, 2].map(() => open({ redisUrl: redis.url, redisWaitMs: 20 })));
      // One heartbeat after the second server has started, both know of each other.
      await untilTrue(() => limiters.every(({ serversHeard }) => serversHeard === 2), {
        waitingFor: 'the servers to know of each other',
      });
      if (how === 'paused') redis.pause();
      else await redis.stop();
      await Promise.all(limiters.map((limiter) => send(limiter, 1, ['global'], 'first to notice')));
      await Promise.all(limiters.map((limiter) => untilShared(limiter, false)));
      const sent = await Promise.all(limiters.map((limiter) => send(limiter, 100, ['global'], 'a')));
      expect(sent.map(({ admitted }) => admitted)).toEqual([20, 20]);
      const guesses = await Promise.all(limiters.map((limiter) => send(limiter, 100, ['key-guessing'], 'a')));
      expect(guesses.map(({ admitted }) => admitted)).toEqual([10, 10]);

      const back = how === 'paused' ? redis : await LocalRedis.start(Number(new URL(redis.url).port));
      back.resume();
      await Promise.all(limiters.map((limiter) => untilShared(limiter, true)));
      const after = await Promise.all(limiters.map((limiter) => send(limiter, 40, ['global'], 'b')));
      expect(after.reduce((sum, { admitted }) => sum + admitted, 0)).toBe(40);
      await back.stop();
    },
  );

  it('a request waits a few milliseconds, and the next ones not at all', async () => {
    const waitedMs = await fastest(
      async () => {
        const redis = await LocalRedis.start();
        const limiter = await open({ redisUrl: redis.url, redisWaitMs: 5 });
        redis.pause();
        const startedAt = performance.now();
        await limiter.count(['global'], 'a');
        const ms = performance.now() - startedAt;
        expect(limiter.count(['global'], 'a')).not.toBeInstanceOf(Promise);
        await redis.stop();
        return ms;
      },
      { enoughMs: 100 },
    );
    expect(waitedMs).toBeLessThan(100);
  });
});
