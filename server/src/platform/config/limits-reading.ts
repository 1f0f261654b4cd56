import type { AddressRange } from '../../core/network/address-range.ts';
import { type RateLimitTable, withLimits } from '../rate-limit/rate-limit-table.ts';
import { allOf, mapped, optional, type Reading, required } from './reading.ts';
import * as settings from './settings.ts';

export interface LimitsConfig {
  readonly table: RateLimitTable;
  /** False if something in front of the vault limits requests. Attempts to guess keys are limited in any case. */
  readonly countsRequests: boolean;
  /**
   * The maximum number of different container sets per tenant, and the maximum number that its public keys may create
   * per day.
   */
  readonly containerSets: { readonly tenantMax: number; readonly publicDailyMax: number };
  readonly redisUrl: string | undefined;
  /** The maximum time that a request waits for Redis. The default is five milliseconds. */
  readonly redisWaitMs?: number;
  readonly trustedProxies: readonly AddressRange[];
}

/** Reads what callers may do how often, and how servers count it together. */
export const limits: Reading<LimitsConfig> = mapped(
  allOf<Pick<LimitsConfig, 'containerSets' | 'redisUrl' | 'trustedProxies'> & { rates: settings.RateLimitSetting }>({
    rates: required(settings.rateLimits),
    containerSets: allOf<LimitsConfig['containerSets']>({
      tenantMax: required(settings.containerSetsMax),
      publicDailyMax: required(settings.containerSetsPublicDailyMax),
    }),
    redisUrl: optional(settings.redisUrl),
    trustedProxies: required(settings.trustedProxies),
  }),
  ({ rates, ...rest }) =>
    Object.freeze({ ...rest, table: withLimits(rates === 'off' ? {} : rates), countsRequests: rates !== 'off' }),
);
