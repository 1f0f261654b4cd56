import { codeOf, toError } from '../../core/errors/thrown.ts';
import { withinTime } from '../waiting/within-time.ts';

const reasons: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'connection refused'],
  ['ECONNRESET', 'connection closed'],
  ['ENOTFOUND', 'host name not found'],
  ['EAI_AGAIN', 'host name not found'],
  ['EHOSTUNREACH', 'no route to the host'],
  ['ENETUNREACH', 'no route to the host'],
]);

export const redisAdvice =
  'Check that Redis is running, and host, port and password in STRONGROOM_REDIS_URL (docs/runbooks/redis-unavailable.md).';

/** Returns why Redis cannot be used. It contains no text from Redis, which may quote values. */
export function redisReason(error: unknown): string {
  if (/^(WRONGPASS|NOAUTH|NOPERM|ERR AUTH|ERR invalid password)/.test(toError(error).message)) return 'login refused';
  return reasons.get(codeOf(error) ?? '') ?? 'no response in time';
}

/** Connects once and asks for a sign of life. Returns the reason for a failure, or undefined if Redis responds. */
export async function findRedisFailure(url: string, timeoutMs = 3_000): Promise<string | undefined> {
  const { Redis } = await import('ioredis');
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: timeoutMs,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
    connectionName: 'strongroom doctor',
  });
  let failure: unknown;
  // The promise only says that the connection was closed. The event has the reason.
  redis.on('error', (error) => {
    failure ??= error;
  });
  try {
    await withinTime(
      redis.connect().then(() => redis.ping()),
      timeoutMs,
      'Redis did not respond in time.',
    );
    return undefined;
  } catch (error) {
    return redisReason(failure ?? error);
  } finally {
    redis.disconnect();
  }
}
