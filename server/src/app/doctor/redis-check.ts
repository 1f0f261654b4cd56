import { findRedisFailure, redisAdvice } from '../../platform/rate-limit/redis-failure.ts';
import type { Finding } from './examination.ts';

const name = 'Redis';

/** Checks that the Redis in which servers count requests together responds. */
export async function examineRedis(url: string): Promise<Finding> {
  const reason = await findRedisFailure(url);
  if (reason === undefined) return { name, isOk: true, detail: 'responds' };
  return {
    name,
    isOk: false,
    detail: `unreachable: ${reason}`,
    promise: 'all servers count the requests of a client together. Until then, each applies its share of every limit',
    remedy: redisAdvice,
  };
}
