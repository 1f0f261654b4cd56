import { LocalRedis } from '../../server/test/harness/local-redis.ts';
import { BenchVault } from './bench-vault.ts';
import { measureCreates, printCosts } from './cost-of-creates.ts';

/*
 * Measures the cost of rate limits. It compares vaults without limits, with in-process limits and with limits in Redis.
 * The goal applies to the server's processor time per token. Requires wrk.
 */
const costMax = 0.05;

const redis = await LocalRedis.start();
const costs = await measureCreates({
  off: await BenchVault.start('together', { STRONGROOM_RATE_LIMITS: 'off' }),
  process: await BenchVault.start(),
  redis: await BenchVault.start('together', { STRONGROOM_REDIS_URL: redis.url }),
});
printCosts(costs);
await redis.stop();
if (costs.some(({ cpu_ratio }) => cpu_ratio > 1 + costMax)) process.exitCode = 1;
