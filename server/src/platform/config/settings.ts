import { type EmailAddress, parseEmailAddress } from '../../core/identity/email-address.ts';
import { Sensitive } from '../../core/identity/sensitive.ts';
import type { AddressRange } from '../../core/network/address-range.ts';
import { parsePeerRange } from '../../core/network/peer-address.ts';
import { parseRootKey } from '../keyring/kms/file-root-key.ts';
import { type RateLimitScope, rateLimitScopes } from '../rate-limit/rate-limit-table.ts';
import type { SmtpServer } from '../mail/smtp-config.ts';
import type { Setting } from './setting.ts';

export const databaseUrl: Setting<string> = {
  variable: 'STRONGROOM_DATABASE_URL',
  expectation: 'the address of a PostgreSQL 15 or newer database',
  example: 'postgresql://strongroom:secret@db.internal:5432/strongroom',
  parse: parsePostgresUrl,
};

export const databaseOwnerUrl: Setting<string> = {
  variable: 'STRONGROOM_DATABASE_OWNER_URL',
  expectation: 'the address of the same database for the role that owns its schema',
  example: 'postgresql://strongroom_owner:secret@db.internal:5432/strongroom',
  parse: parsePostgresUrl,
};

export const rootKey: Setting<Buffer> = {
  variable: 'STRONGROOM_ROOT_KEY',
  expectation: '32 random bytes as base64 or hexadecimal, kept as long as the data; or a PKCS#11 key instead',
  // Not a key: whoever copies an example must not end up with one that the whole world can read here.
  example: '$(openssl rand -base64 32)',
  parse: parseRootKey,
};

export const pkcs11Module: Setting<string> = {
  variable: 'STRONGROOM_PKCS11_MODULE',
  expectation: 'the path of the PKCS#11 library of the HSM',
  example: '/usr/lib/softhsm/libsofthsm2.so',
  parse: parseText,
};

export const pkcs11Token: Setting<string> = {
  variable: 'STRONGROOM_PKCS11_TOKEN',
  expectation: 'the label of the token that holds the root key',
  example: 'strongroom',
  parse: parseText,
};

export const pkcs11Pin: Setting<Sensitive<string>> = {
  variable: 'STRONGROOM_PKCS11_PIN',
  expectation: 'the user PIN of the token',
  example: '1234',
  parse: (text) => (text === '' ? undefined : new Sensitive(text)),
};

export const pkcs11Key: Setting<string> = {
  variable: 'STRONGROOM_PKCS11_KEY',
  expectation: 'the label of the AES-256 key on the token',
  example: 'strongroom-root',
  parse: parseText,
};

export const publicUrl: Setting<string> = {
  variable: 'STRONGROOM_PUBLIC_URL',
  expectation: 'the address under which clients reach this vault',
  example: 'https://vault.example.com',
  parse: (text) =>
    URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) ? text.replace(/\/$/, '') : undefined,
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
};

export const adminHost: Setting<string> = {
  variable: 'STRONGROOM_ADMIN_HOST',
  expectation: 'the address to serve health and metrics on; keep it private',
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
  expectation: 'how many whole months the audit log is kept, from 4 to 1200',
  example: '13',
  parse: wholeNumber(4, 1_200),
  fallback: 13,
};

export const auditAnchorFile: Setting<string> = {
  variable: 'STRONGROOM_AUDIT_ANCHOR_FILE',
  expectation: 'the path of a file, best on another volume, that checkpoints of the audit log are appended to',
  example: '/mnt/anchor/strongroom.ndjson',
  parse: parseText,
};

export const auditAnchorUrl: Setting<string> = {
  variable: 'STRONGROOM_AUDIT_ANCHOR_URL',
  expectation: 'an HTTPS address that takes checkpoints of the audit log by POST',
  example: 'https://anchor.example.com/strongroom',
  parse: (text) => (URL.canParse(text) && new URL(text).protocol === 'https:' ? text : undefined),
};

export const smtpUrl: Setting<SmtpServer> = {
  variable: 'STRONGROOM_SMTP_URL',
  expectation:
    'the mail server as smtps://user:password@host:465, or as smtp://… with STARTTLS; without encryption only on this machine',
  example: 'smtps://strongroom:secret@mail.example.com:465',
  parse: parseSmtpUrl,
};

export const mailFrom: Setting<EmailAddress> = {
  variable: 'STRONGROOM_MAIL_FROM',
  expectation: 'the address that mail is sent from',
  example: 'vault@example.com',
  parse: parseEmailAddress,
};

export const openidIssuer: Setting<string> = {
  variable: 'STRONGROOM_OPENID_ISSUER',
  expectation: 'the HTTPS address of the OpenID provider that people may sign in with; HTTP only on this machine',
  example: 'https://login.example.com',
  parse: (text) => {
    if (!URL.canParse(text)) return undefined;
    const { protocol, hostname } = new URL(text);
    return protocol === 'https:' || (protocol === 'http:' && loopbackHosts.includes(hostname)) ? text : undefined;
  },
};

export const openidClientId: Setting<string> = {
  variable: 'STRONGROOM_OPENID_CLIENT_ID',
  expectation: 'the name that the provider knows this vault by',
  example: 'strongroom',
  parse: parseText,
};

export const openidClientSecret: Setting<Sensitive<string>> = {
  variable: 'STRONGROOM_OPENID_CLIENT_SECRET',
  expectation: 'the secret that the provider gave for it',
  example: '$(cat client-secret)',
  parse: (text) => (text === '' ? undefined : new Sensitive(text)),
};

export const openidName: Setting<string> = {
  variable: 'STRONGROOM_OPENID_NAME',
  expectation: 'what people call the provider',
  example: 'Acme login',
  parse: parseText,
  fallback: 'single sign-on',
};

export const databaseConnections: Setting<number> = {
  variable: 'STRONGROOM_DATABASE_CONNECTIONS',
  expectation: 'how many database connections a server keeps, from 1 to 100',
  example: '8',
  parse: wholeNumber(1, 100),
  fallback: 8,
};

export const redisUrl: Setting<string> = {
  variable: 'STRONGROOM_REDIS_URL',
  expectation: 'the address of a Redis 6 or newer in which several servers count requests together',
  example: 'redis://:secret@redis.internal:6379',
  parse: (text) => (URL.canParse(text) && /^rediss?:$/.test(new URL(text).protocol) ? text : undefined),
};

export const trustedProxies: Setting<readonly AddressRange[]> = {
  variable: 'STRONGROOM_TRUSTED_PROXIES',
  expectation: 'addresses or networks of the proxies in front of the vault, whose X-Forwarded-For is believed',
  example: '10.0.0.0/8,2001:db8::/32',
  parse: (text) => parseList(text, parsePeerRange),
  fallback: [],
};

export type RateLimitSetting = Partial<Readonly<Record<RateLimitScope, number>>> | 'off';

export const rateLimits: Setting<RateLimitSetting> = {
  variable: 'STRONGROOM_RATE_LIMITS',
  expectation: `other limits for some of ${rateLimitScopes.join(', ')}; or off where a proxy limits requests`,
  example: 'global=5000,token-write=1000',
  parse: parseRateLimits,
  fallback: {},
};

const logLevels = ['info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

export const logLevel: Setting<LogLevel> = {
  variable: 'STRONGROOM_LOG_LEVEL',
  expectation: `one of ${logLevels.join(', ')}`,
  example: 'info',
  parse: (text) => logLevels.find((level) => level === text),
  fallback: 'info',
};

function parseText(text: string): string | undefined {
  return text.trim() === '' ? undefined : text;
}

function parsePostgresUrl(text: string): string | undefined {
  return URL.canParse(text) && /^postgres(ql)?:$/.test(new URL(text).protocol) ? text : undefined;
}

function parseRateLimits(text: string): RateLimitSetting | undefined {
  if (text === 'off') return 'off';
  const pairs = parseList(text, (pair) => {
    const [name, number = '', ...rest] = pair.split('=');
    const scope = rateLimitScopes.find((scope) => scope === name);
    const limit = wholeNumber(1, 999_999_999)(number);
    return scope === undefined || limit === undefined || rest.length > 0 ? undefined : ([scope, limit] as const);
  });
  return pairs === undefined ? undefined : Object.fromEntries(pairs);
}

/** Separated by commas; one part that is not valid makes all of it invalid. */
function parseList<T>(text: string, parse: (part: string) => T | undefined): T[] | undefined {
  const parts = text.split(',').map((part) => parse(part.trim()));
  const valid = parts.filter((part) => part !== undefined);
  return valid.length === parts.length ? valid : undefined;
}

const loopbackHosts = ['localhost', '127.0.0.1', '[::1]'];

function parseSmtpUrl(text: string): SmtpServer | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, hostname, port, username, password, pathname, search } = new URL(text);
  const isTls = protocol === 'smtps:';
  if ((!isTls && protocol !== 'smtp:') || hostname === '' || !['', '/'].includes(pathname) || search !== '') {
    return undefined;
  }
  const user = decodeText(username);
  const secret = decodeText(password);
  if (user === undefined || secret === undefined || (user === '') !== (secret === '')) return undefined;
  return {
    host: hostname.replaceAll(/[[\]]/g, ''),
    port: port === '' ? (isTls ? 465 : 587) : Number(port),
    // What stays on the machine needs no encryption; everything else does.
    encryption: isTls ? 'from-start' : loopbackHosts.includes(hostname) ? 'none' : 'starttls',
    login: user === '' ? undefined : { user, password: new Sensitive(secret) },
  };
}

function decodeText(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function wholeNumber(min: number, max: number): (text: string) => number | undefined {
  return (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max ? value : undefined;
  };
}
