import { parsePeerRange } from '../../core/network/peer-address.ts';
import { type RateLimitScope, ownLimits, rateLimitScopes, withLimits } from '../rate-limit/rate-limit-table.ts';
import { group, mapped, optionalSetting, settingWithDefault, type ValueOf } from './reading.ts';
import { listOf, oneOf, urlWith, wholeNumber } from './setting-parsers.ts';

type RateLimits = Partial<Readonly<Record<RateLimitScope, number>>>;

/** The maximum numbers of different container sets. */
const containerSets = group({
  tenantMax: settingWithDefault('STRONGROOM_CONTAINER_SETS_MAX', wholeNumber(1, 10_000_000), 100_000, {
    expectation: 'how many different combinations of containers a tenant may have, from 1 to 10000000',
  }),
  publicDailyMax: settingWithDefault('STRONGROOM_CONTAINER_SETS_PUBLIC_DAILY_MAX', wholeNumber(0, 10_000_000), 1_000, {
    expectation: 'how many of them the public and session keys of a tenant may create per day, from 0 to 10000000',
  }),
});

const noLimits: RateLimits = {};

export const redisUrl = optionalSetting('STRONGROOM_REDIS_URL', urlWith('redis:', 'rediss:'), {
  expectation: 'the address of a Redis server, version 6 or newer, through which several servers share request counts',
  example: 'redis://:secret@redis.internal:6379',
});

const given = group({
  trustedProxies: settingWithDefault('STRONGROOM_TRUSTED_PROXIES', listOf(parsePeerRange), [], {
    expectation: 'addresses or networks of the proxies in front of the vault whose X-Forwarded-For is trusted',
    example: '10.0.0.0/8,2001:db8::/32',
  }),
  rates: settingWithDefault('STRONGROOM_RATE_LIMITS', parseRateLimits, noLimits, {
    expectation: `limits that replace the defaults of ${rateLimitScopes.join(', ')}; or off if a proxy limits requests`,
    example: 'global=5000,token-write=1000',
    otherwise: '[the defaults](api.md#rate-limits)',
  }),
  ownNetworks: settingWithDefault('STRONGROOM_OWN_NETWORKS', listOf(parsePeerRange), [], {
    expectation: 'addresses or networks of your own services, whose clients have higher rate limits',
    example: '10.20.0.0/16',
  }),
  ownRates: settingWithDefault('STRONGROOM_OWN_RATE_LIMITS', parsePairs, noLimits, {
    expectation: 'rate limits of the clients in STRONGROOM_OWN_NETWORKS, by the names of STRONGROOM_RATE_LIMITS',
    example: 'global=20000,token-write=5000',
    otherwise: 'ten times the other limits, but the same for key-guessing and mail',
  }),
  redisUrl,
  containerSets,
});

/** The rate limits, and the address of the Redis in which servers share their counts. */
export const limits = mapped(given, ({ rates, ownRates, ...rest }) => {
  const table = withLimits(rates === 'off' ? noLimits : rates);
  return Object.freeze({
    ...rest,
    table,
    /** The limits of the clients in `ownNetworks`. */
    ownTable: ownLimits(table, ownRates),
    /** False if something in front of the vault limits requests. Attempts to guess keys are limited in any case. */
    countsRequests: rates !== 'off',
  });
});

export type LimitsConfig = ValueOf<typeof limits> & {
  /** The maximum time that a request waits for Redis. The default is five milliseconds. */
  readonly redisWaitMs?: number;
};

function parseRateLimits(text: string): RateLimits | 'off' | undefined {
  return text === 'off' ? 'off' : parsePairs(text);
}

function parsePairs(text: string): RateLimits | undefined {
  const pairs = listOf((pair) => {
    const [name = '', number = '', ...rest] = pair.split('=');
    const scope = oneOf(rateLimitScopes)(name);
    const limit = wholeNumber(1, 999_999_999)(number);
    return scope === undefined || limit === undefined || rest.length > 0 ? undefined : ([scope, limit] as const);
  })(text);
  return pairs === undefined ? undefined : Object.fromEntries(pairs);
}
