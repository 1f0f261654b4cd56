import { defaultThresholds } from '../audit/watch/alert-rule.ts';
import type { AddressRange } from '../../core/network/address-range.ts';
import { parsePeerRange } from '../../core/network/peer-address.ts';
import { type RateLimitScope, rateLimitScopes } from '../rate-limit/rate-limit-table.ts';
import type { Setting } from './setting.ts';
import { listOf, parseBoolean, parseText, wholeNumber } from './setting-parsers.ts';

export const databaseUrl: Setting<string> = {
  variable: 'STRONGROOM_DATABASE_URL',
  expectation: 'the address of a PostgreSQL database, version 15 or newer',
  example: 'postgresql://strongroom:secret@db.internal:5432/strongroom',
  parse: parsePostgresUrl,
};

export const databaseOwnerUrl: Setting<string> = {
  variable: 'STRONGROOM_DATABASE_OWNER_URL',
  expectation: 'the address of the same database for the role that owns its schema',
  example: 'postgresql://strongroom_owner:secret@db.internal:5432/strongroom',
  parse: parsePostgresUrl,
  otherwise: 'that of `STRONGROOM_DATABASE_URL`',
};

export const publicUrl: Setting<string> = {
  variable: 'STRONGROOM_PUBLIC_URL',
  expectation: 'the public URL of this vault',
  example: 'https://vault.example.com',
  parse: (text) =>
    URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) ? text.replace(/\/$/, '') : undefined,
};

export const apiReference: Setting<boolean> = {
  variable: 'STRONGROOM_API_REFERENCE',
  expectation: 'true or false: whether to serve the API reference at /docs and /openapi.json',
  example: 'false',
  parse: parseBoolean,
  fallback: true,
};

export const host: Setting<string> = {
  variable: 'STRONGROOM_HOST',
  expectation: 'the address to listen on',
  example: '0.0.0.0',
  parse: parseText,
  fallback: '0.0.0.0',
};

export const port: Setting<number> = {
  variable: 'STRONGROOM_PORT',
  expectation: 'a port from 0 to 65535',
  example: '8080',
  parse: wholeNumber(0, 65_535),
  fallback: 8080,
  purpose: 'the port of the API',
};

export const adminHost: Setting<string> = {
  variable: 'STRONGROOM_ADMIN_HOST',
  expectation: 'the address for health and metrics; keep it private',
  example: '127.0.0.1',
  parse: parseText,
  fallback: '127.0.0.1',
};

export const adminPort: Setting<number> = {
  variable: 'STRONGROOM_ADMIN_PORT',
  expectation: 'a port from 0 to 65535',
  example: '8081',
  parse: wholeNumber(0, 65_535),
  fallback: 8081,
  purpose: 'the port for the health and metrics of a server',
};

export const drainDelaySeconds: Setting<number> = {
  variable: 'STRONGROOM_DRAIN_DELAY_SECONDS',
  expectation: 'how long a server that was told to stop reports unready and still serves, from 0 to 300 seconds',
  example: '5',
  parse: wholeNumber(0, 300),
  fallback: 5,
};

export const drainTimeoutSeconds: Setting<number> = {
  variable: 'STRONGROOM_DRAIN_TIMEOUT_SECONDS',
  expectation: 'how long requests in progress may take after that, from 1 to 300 seconds',
  example: '20',
  parse: wholeNumber(1, 300),
  fallback: 20,
};

export const workerAdminPort: Setting<number> = {
  variable: 'STRONGROOM_WORKER_ADMIN_PORT',
  expectation: 'a port from 0 to 65535 for the health and metrics of a worker',
  example: '8082',
  parse: wholeNumber(0, 65_535),
  fallback: 8082,
};

export const auditRetentionMonths: Setting<number> = {
  variable: 'STRONGROOM_AUDIT_RETENTION_MONTHS',
  expectation: 'how many whole months to keep the audit log, from 4 to 1200',
  example: '13',
  parse: wholeNumber(4, 1_200),
  fallback: 13,
};

export const auditAnchorFile: Setting<string> = {
  variable: 'STRONGROOM_AUDIT_ANCHOR_FILE',
  expectation: 'the path of a file, ideally on another volume, to append audit log checkpoints to',
  example: '/mnt/anchor/strongroom.ndjson',
  parse: parseText,
};

export const auditAnchorUrl: Setting<string> = {
  variable: 'STRONGROOM_AUDIT_ANCHOR_URL',
  expectation: 'an HTTPS URL to POST audit log checkpoints to',
  example: 'https://anchor.example.com/strongroom',
  parse: (text) => (URL.canParse(text) && new URL(text).protocol === 'https:' ? text : undefined),
};

export const alertWindowMinutes: Setting<number> = {
  variable: 'STRONGROOM_ALERT_WINDOW_MINUTES',
  expectation: 'how long a window is in which alerts count, from 1 to 1440 minutes',
  example: '10',
  parse: wholeNumber(1, 1_440),
  fallback: defaultThresholds.windowMinutes,
};

export const alertMisses: Setting<number> = {
  variable: 'STRONGROOM_ALERT_MISSES',
  expectation: 'how many misses of a key in a window raise an alert, up to 1000000; 0 for none',
  example: '100',
  parse: wholeNumber(0, 1_000_000),
  fallback: defaultThresholds.misses,
};

export const alertReveals: Setting<number> = {
  variable: 'STRONGROOM_ALERT_REVEALS',
  expectation: 'how many different tokens revealed to a key in a window raise an alert, up to 100000; 0 for none',
  example: '1000',
  parse: wholeNumber(0, 100_000),
  fallback: defaultThresholds.reveals,
};

export const alertAddresses: Setting<number> = {
  variable: 'STRONGROOM_ALERT_ADDRESSES',
  expectation: 'how many known addresses a key may have for a new one to raise an alert, up to 1000; 0 for none',
  example: '20',
  parse: wholeNumber(0, 1_000),
  fallback: defaultThresholds.addresses,
};

export const databaseConnections: Setting<number> = {
  variable: 'STRONGROOM_DATABASE_CONNECTIONS',
  expectation: 'how many database connections each server may open, from 1 to 100',
  example: '8',
  parse: wholeNumber(1, 100),
  fallback: 8,
};

export const databaseTimeoutSeconds: Setting<number> = {
  variable: 'STRONGROOM_DATABASE_TIMEOUT_SECONDS',
  expectation:
    'how long a database statement may take, from 2 to 600 seconds; waiting for a connection may take half of that',
  example: '10',
  parse: wholeNumber(2, 600),
  fallback: 10,
};

export const requestTimeoutSeconds: Setting<number> = {
  variable: 'STRONGROOM_REQUEST_TIMEOUT_SECONDS',
  expectation: 'how long a request may take until its response begins, from 2 to 30 seconds',
  example: '10',
  parse: wholeNumber(2, 30),
  fallback: 10,
};

export const requireSynchronousStandby: Setting<boolean> = {
  variable: 'STRONGROOM_REQUIRE_SYNCHRONOUS_STANDBY',
  expectation: 'true or false: whether to refuse writes while no synchronous standby is attached to the database',
  example: 'true',
  parse: parseBoolean,
  fallback: false,
};

export const redisUrl: Setting<string> = {
  variable: 'STRONGROOM_REDIS_URL',
  expectation: 'the address of a Redis server, version 6 or newer, through which several servers share request counts',
  example: 'redis://:secret@redis.internal:6379',
  parse: (text) => (URL.canParse(text) && /^rediss?:$/.test(new URL(text).protocol) ? text : undefined),
};

export const trustedProxies: Setting<readonly AddressRange[]> = {
  variable: 'STRONGROOM_TRUSTED_PROXIES',
  expectation: 'addresses or networks of the proxies in front of the vault whose X-Forwarded-For is trusted',
  example: '10.0.0.0/8,2001:db8::/32',
  parse: listOf(parsePeerRange),
  fallback: [],
};

export type RateLimitSetting = Partial<Readonly<Record<RateLimitScope, number>>> | 'off';

export const rateLimits: Setting<RateLimitSetting> = {
  variable: 'STRONGROOM_RATE_LIMITS',
  expectation: `limits that replace the defaults of ${rateLimitScopes.join(', ')}; or off if a proxy limits requests`,
  example: 'global=5000,token-write=1000',
  parse: parseRateLimits,
  fallback: {},
  otherwise: '[the defaults](api.md#rate-limits)',
};

export const containerSetsMax: Setting<number> = {
  variable: 'STRONGROOM_CONTAINER_SETS_MAX',
  expectation: 'how many different combinations of containers a tenant may have, from 1 to 10000000',
  example: '100000',
  parse: wholeNumber(1, 10_000_000),
  fallback: 100_000,
};

export const containerSetsPublicDailyMax: Setting<number> = {
  variable: 'STRONGROOM_CONTAINER_SETS_PUBLIC_DAILY_MAX',
  expectation: 'how many of them the public and session keys of a tenant may create per day, from 0 to 10000000',
  example: '1000',
  parse: wholeNumber(0, 10_000_000),
  fallback: 1_000,
};

const logLevels = ['info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

export const logLevel: Setting<LogLevel> = {
  variable: 'STRONGROOM_LOG_LEVEL',
  expectation: `one of ${logLevels.join(', ')}`,
  example: 'info',
  parse: (text) => logLevels.find((level) => level === text),
  fallback: 'info',
  purpose: 'how much is logged',
};

function parsePostgresUrl(text: string): string | undefined {
  return URL.canParse(text) && /^postgres(ql)?:$/.test(new URL(text).protocol) ? text : undefined;
}

function parseRateLimits(text: string): RateLimitSetting | undefined {
  if (text === 'off') return 'off';
  const pairs = listOf((pair) => {
    const [name, number = '', ...rest] = pair.split('=');
    const scope = rateLimitScopes.find((scope) => scope === name);
    const limit = wholeNumber(1, 999_999_999)(number);
    return scope === undefined || limit === undefined || rest.length > 0 ? undefined : ([scope, limit] as const);
  })(text);
  return pairs === undefined ? undefined : Object.fromEntries(pairs);
}
