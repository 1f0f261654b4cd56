import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { Sensitive } from '../../core/identity/sensitive.ts';
import { generateRootKey } from '../keyring/kms/file/file-root-key.ts';
import { defaultThresholds } from '../audit/watch/alert-rule.ts';
import { ownLimits, rateLimitTable, withLimits } from '../rate-limit/rate-limit-table.ts';
import { ConfigError, type ConfigProblem } from './config-error.ts';
import { fileKey } from './root-key/file-key-settings.ts';
import {
  hasDatabase,
  readDatabaseConfig,
  readDevelopmentConfig,
  readLinkConfig,
  readServerConfig,
  readVaultConfig,
  readWorkerConfig,
} from './config.ts';
import type { Environment } from './setting.ts';

const directory = mkdtempSync(path.join(tmpdir(), 'strongroom-config-'));
afterAll(() => rmSync(directory, { recursive: true }));

const complete = {
  STRONGROOM_DATABASE_URL: 'postgresql://app:secret@db.internal/strongroom',
  STRONGROOM_ROOT_KEY: generateRootKey(),
  STRONGROOM_PUBLIC_URL: 'https://vault.example.com',
};

const hsm = {
  STRONGROOM_PKCS11_MODULE: '/usr/lib/softhsm/libsofthsm2.so',
  STRONGROOM_PKCS11_TOKEN: 'strongroom',
  STRONGROOM_PKCS11_PIN: '123456',
  STRONGROOM_PKCS11_KEY: 'root',
};

const limits = {
  table: rateLimitTable,
  ownTable: ownLimits(rateLimitTable),
  ownNetworks: [],
  countsRequests: true,
  containerSets: { tenantMax: 100_000, publicDailyMax: 1_000 },
  redisUrl: undefined,
  trustedProxies: [],
};

function fileWith(text: string): string {
  const file = path.join(directory, crypto.randomUUID());
  writeFileSync(file, text);
  return file;
}

function problemsOf(environment: Environment, read: (environment: Environment) => unknown = readServerConfig) {
  try {
    read(environment);
  } catch (error) {
    if (error instanceof ConfigError) return { problems: error.problems, message: error.message };
    throw error;
  }
  return { problems: [] as ConfigProblem[], message: '' };
}

/** The default outbound settings. */
const nothingOpened = {
  authorities: undefined,
  clientCertificates: [],
  privateRanges: [],
  hosts: [],
  ports: [],
  resolvers: [],
  requiresDestinationList: false,
  callsPerTenantMax: 100,
  limits: expect.objectContaining({ callMs: 25_000 }),
};

const variablesOf = (...parameters: Parameters<typeof problemsOf>) =>
  problemsOf(...parameters).problems.map(({ variable, problem }) => `${variable} ${problem}`);

describe('readServerConfig', () => {
  it('needs three settings and has a default for every other', () => {
    expect(readServerConfig(complete)).toEqual({
      database: {
        url: complete.STRONGROOM_DATABASE_URL,
        ownerUrl: complete.STRONGROOM_DATABASE_URL,
        connectionsMax: 8,
        timeoutSeconds: 10,
        requiresStandby: false,
      },
      rootKeys: { primary: fileKey.read(complete), others: [] },
      listen: {
        publicUrl: 'https://vault.example.com',
        host: '0.0.0.0',
        port: 8080,
        adminHost: '127.0.0.1',
        adminPort: 8081,
      },
      drain: { delaySeconds: 5, timeoutSeconds: 20 },
      limits,
      outbound: nothingOpened,
      requestTimeoutSeconds: 10,
      servesReference: true,
      alerts: defaultThresholds,
      logLevel: 'info',
    });
  });

  it('cannot be changed afterwards', () => {
    expect(Object.isFrozen(readServerConfig(complete))).toBe(true);
  });

  it('lists every missing setting at once, with what is expected and an example', () => {
    const { problems, message } = problemsOf({});
    expect(problems.map(({ variable }) => variable)).toEqual(Object.keys(complete));
    for (const { variable, problem, expectation, example } of problems) {
      expect(problem).toBe('is not set');
      expect(message).toContain(`${variable} is not set: ${expectation}.\n    Example: ${variable}=${example}`);
    }
    expect(message).toContain('<VARIABLE>_FILE');
  });

  it('gives examples that it accepts, but no root key that anybody can read', () => {
    const { problems } = problemsOf({});
    const suggested = Object.fromEntries(problems.map(({ variable, example }) => [variable, example]));
    expect(variablesOf(suggested)).toEqual(['STRONGROOM_ROOT_KEY is not valid']);
  });

  it('lists what is missing together with what is not valid', () => {
    const environment = {
      STRONGROOM_DATABASE_URL: 'mysql://db',
      STRONGROOM_PORT: 'http',
      STRONGROOM_LOG_LEVEL: 'loud',
    };
    expect(variablesOf(environment)).toEqual([
      'STRONGROOM_DATABASE_URL is not valid',
      'STRONGROOM_ROOT_KEY is not set',
      'STRONGROOM_PUBLIC_URL is not set',
      'STRONGROOM_PORT is not valid',
      'STRONGROOM_LOG_LEVEL is not valid',
    ]);
  });

  it.each([
    ['STRONGROOM_DATABASE_URL', 'db.internal:5432'],
    ['STRONGROOM_DATABASE_URL', 'https://db.internal'],
    ['STRONGROOM_DATABASE_OWNER_URL', 'nonsense'],
    ['STRONGROOM_ROOT_KEY', 'too short'],
    ['STRONGROOM_ROOT_KEY', 'A'.repeat(44)],
    ['STRONGROOM_ROOT_KEY', 'g'.repeat(64)],
    ['STRONGROOM_PUBLIC_URL', 'vault.example.com'],
    ['STRONGROOM_PUBLIC_URL', 'ftp://vault.example.com'],
    ['STRONGROOM_PORT', '65536'],
    ['STRONGROOM_PORT', '-1'],
    ['STRONGROOM_PORT', '8080.5'],
    ['STRONGROOM_PORT', '0x10'],
    ['STRONGROOM_ADMIN_PORT', ' '],
    ['STRONGROOM_HOST', ' '],
    ['STRONGROOM_DATABASE_CONNECTIONS', '0'],
    ['STRONGROOM_DATABASE_CONNECTIONS', '101'],
    ['STRONGROOM_REQUEST_TIMEOUT_SECONDS', '1'],
    ['STRONGROOM_REQUEST_TIMEOUT_SECONDS', '31'],
    ['STRONGROOM_DATABASE_TIMEOUT_SECONDS', '1'],
    ['STRONGROOM_DATABASE_TIMEOUT_SECONDS', '601'],
    ['STRONGROOM_CONTAINER_SETS_MAX', '0'],
    ['STRONGROOM_CONTAINER_SETS_PUBLIC_DAILY_MAX', '-1'],
    ['STRONGROOM_LOG_LEVEL', 'INFO'],
    ['STRONGROOM_REDIS_URL', 'redis.internal:6379'],
    ['STRONGROOM_REDIS_URL', 'http://redis.internal'],
    ['STRONGROOM_TRUSTED_PROXIES', '10.0.0.0/33'],
    ['STRONGROOM_TRUSTED_PROXIES', '10.0.0.0/8,proxy.internal'],
    ['STRONGROOM_TRUSTED_PROXIES', '10.0.0.0/8,'],
    ['STRONGROOM_RATE_LIMITS', 'none'],
    ['STRONGROOM_RATE_LIMITS', 'everything=7'],
    ['STRONGROOM_RATE_LIMITS', 'global=0'],
    ['STRONGROOM_RATE_LIMITS', 'global=-1'],
    ['STRONGROOM_RATE_LIMITS', 'global=5000;portal=1'],
  ])('refuses %s=%s and does not repeat it', (variable, value) => {
    const { problems, message } = problemsOf({ ...complete, [variable]: value });
    expect(problems).toMatchObject([{ variable, problem: 'is not valid' }]);
    if (value.trim() !== '') expect(message).not.toContain(`=${value}\n`);
  });

  it.each([
    ['STRONGROOM_ROOT_KEY', 'ab'.repeat(32), { rootKeys: { primary: { kind: 'file', key: Buffer.alloc(32, 0xab) } } }],
    ['STRONGROOM_PUBLIC_URL', 'https://vault.example.com/', { listen: { publicUrl: 'https://vault.example.com' } }],
    ['STRONGROOM_DATABASE_OWNER_URL', 'postgres://owner@db', { database: { ownerUrl: 'postgres://owner@db' } }],
    ['STRONGROOM_PORT', '0', { listen: { port: 0 } }],
    ['STRONGROOM_LOG_LEVEL', 'silent', { logLevel: 'silent' }],
    ['STRONGROOM_REDIS_URL', 'rediss://redis.internal', { limits: { redisUrl: 'rediss://redis.internal' } }],
    [
      'STRONGROOM_TRUSTED_PROXIES',
      '10.0.0.0/8, ::1',
      { limits: { trustedProxies: [{ prefixBits: 8 }, { prefixBits: 128 }] } },
    ],
    ['STRONGROOM_RATE_LIMITS', 'off', { limits: { countsRequests: false, table: rateLimitTable } }],
    [
      'STRONGROOM_RATE_LIMITS',
      'global=5000,token-write=7',
      { limits: { table: withLimits({ global: 5000, 'token-write': 7 }) } },
    ],
  ])('takes %s=%s', (variable, value, expected) => {
    expect(readServerConfig({ ...complete, [variable]: value })).toMatchObject(expected);
  });

  it('takes an empty variable for one that is not set', () => {
    const empty = { STRONGROOM_DATABASE_OWNER_URL: '', STRONGROOM_PKCS11_MODULE: '', STRONGROOM_ROOT_KEY_FILE: '' };
    expect(readServerConfig({ ...complete, ...empty, STRONGROOM_PORT: '' })).toEqual(readServerConfig(complete));
    expect(variablesOf({ ...complete, STRONGROOM_ROOT_KEY: '' })).toEqual(['STRONGROOM_ROOT_KEY is not set']);
  });
});

describe('a setting from a file', () => {
  it('is read without the line break at its end', () => {
    const { STRONGROOM_ROOT_KEY: key, ...rest } = complete;
    const environment = { ...rest, STRONGROOM_ROOT_KEY_FILE: fileWith(`${key}\n`) };
    expect(readServerConfig(environment)).toEqual(readServerConfig(complete));
  });

  it('is used where the variable itself is empty, and not where it is set', () => {
    const file = fileWith('https://from-file.example.com');
    const environment = { ...complete, STRONGROOM_PUBLIC_URL_FILE: file };
    expect(readServerConfig(environment).listen.publicUrl).toBe('https://vault.example.com');
    expect(readServerConfig({ ...environment, STRONGROOM_PUBLIC_URL: '' }).listen.publicUrl).toBe(
      'https://from-file.example.com',
    );
  });

  it('is one problem, about the file, when that cannot be read', () => {
    const { STRONGROOM_ROOT_KEY: _, ...rest } = complete;
    const missing = path.join(directory, 'missing');
    const { problems } = problemsOf({ ...rest, STRONGROOM_ROOT_KEY_FILE: missing, STRONGROOM_PORT_FILE: directory });
    expect(problems).toMatchObject([
      {
        variable: 'STRONGROOM_ROOT_KEY_FILE',
        problem: `names the file ${missing}, which cannot be read: it does not exist`,
        example: '/run/secrets/strongroom_root_key',
      },
      {
        variable: 'STRONGROOM_PORT_FILE',
        problem: `names the file ${directory}, which cannot be read: it is a folder`,
      },
    ]);
  });

  it('is refused when its content is not valid, and the content is not repeated', () => {
    const { STRONGROOM_ROOT_KEY: _, ...rest } = complete;
    const { problems, message } = problemsOf({ ...rest, STRONGROOM_ROOT_KEY_FILE: fileWith('almost a key') });
    expect(problems).toMatchObject([
      { variable: 'STRONGROOM_ROOT_KEY_FILE', problem: 'names a file with content that is not valid' },
    ]);
    expect(message).not.toContain('almost a key');
  });
});

describe('a root key in an HSM', () => {
  const { STRONGROOM_ROOT_KEY: _, ...rest } = complete;

  it('replaces the key in the environment', () => {
    const { rootKeys } = readVaultConfig({ ...rest, ...hsm });
    expect(rootKeys).toMatchObject({
      primary: { kind: 'pkcs11', tokenLabel: 'strongroom', keyLabel: 'root' },
      others: [],
    });
    expect(JSON.stringify(rootKeys)).not.toContain('123456');
  });

  it('needs all four settings', () => {
    expect(variablesOf({ ...rest, STRONGROOM_PKCS11_MODULE: hsm.STRONGROOM_PKCS11_MODULE })).toEqual([
      'STRONGROOM_PKCS11_TOKEN is not set',
      'STRONGROOM_PKCS11_PIN is not set',
      'STRONGROOM_PKCS11_KEY is not set',
    ]);
  });
});

describe('two root keys', () => {
  const kindsOf = (environment: Record<string, string>) => {
    const { primary, others } = readVaultConfig({ ...complete, ...environment }).rootKeys;
    return [primary.kind, ...others.map(({ kind }) => kind)];
  };

  it('are told apart by the operator, who says which one wraps', () => {
    expect(kindsOf({ ...hsm, STRONGROOM_ROOT_KEY_PROVIDER: 'file' })).toEqual(['file', 'pkcs11']);
    expect(kindsOf({ ...hsm, STRONGROOM_ROOT_KEY_PROVIDER: 'pkcs11' })).toEqual(['pkcs11', 'file']);
  });

  it('are refused while nobody has said so, or has named one that is not there', () => {
    expect(variablesOf({ ...complete, ...hsm })).toEqual(['STRONGROOM_ROOT_KEY_PROVIDER is not set']);
    expect(variablesOf({ ...complete, STRONGROOM_ROOT_KEY_PROVIDER: 'pkcs11' })).toEqual([
      'STRONGROOM_ROOT_KEY_PROVIDER is not valid',
    ]);
  });

  it('may be of one provider, which keeps the one before', () => {
    expect(kindsOf({ STRONGROOM_PREVIOUS_ROOT_KEY: 'cd'.repeat(32) })).toEqual(['file', 'file']);
    const { STRONGROOM_ROOT_KEY: _, ...rest } = complete;
    const { rootKeys } = readVaultConfig({ ...rest, ...hsm, STRONGROOM_PREVIOUS_PKCS11_KEY: 'older' });
    expect(rootKeys).toMatchObject({
      primary: { keyLabel: 'root' },
      others: [{ keyLabel: 'older', pin: new Sensitive('123456') }],
    });
  });
});

describe('a mail server', () => {
  const read = (url: string) =>
    readWorkerConfig({ ...complete, STRONGROOM_SMTP_URL: url, STRONGROOM_MAIL_FROM: 'vault@example.com' }).mail.smtp
      ?.server;

  it.each([
    ['smtps://mail.example.com', { host: 'mail.example.com', port: 465, encryption: 'from-start', login: undefined }],
    ['smtp://mail.example.com', { host: 'mail.example.com', port: 587, encryption: 'starttls' }],
    ['smtp://mail.example.com:25/', { port: 25, encryption: 'starttls' }],
    ['smtp://localhost:25', { host: 'localhost', encryption: 'none' }],
    ['smtp://[::1]:25', { host: '::1', encryption: 'none' }],
    ['smtp://localhost.example.com', { encryption: 'starttls' }],
    ['smtp://127.0.0.1.example.com', { encryption: 'starttls' }],
  ])('%s is understood', (url, expected) => {
    expect(read(url)).toMatchObject(expected);
  });

  it('keeps its password out of what is printed', () => {
    const server = read('smtps://us%40er:p%3Ass@mail.example.com');
    expect(server?.login?.user).toBe('us@er');
    expect(server?.login?.password.reveal()).toBe('p:ss');
    expect(JSON.stringify(server)).not.toContain('p:ss');
  });

  it.each([
    'mail.example.com',
    'http://mail.example.com',
    'smtp://',
    'smtp://a@b.example',
    'smtp://b.example/x',
    'smtp://b.example?tls=no',
    'smtp://a:%E0@b.example',
  ])('%s is refused', (url) => {
    const environment = { ...complete, STRONGROOM_SMTP_URL: url, STRONGROOM_MAIL_FROM: 'vault@example.com' };
    expect(variablesOf(environment, readWorkerConfig)).toEqual(['STRONGROOM_SMTP_URL is not valid']);
  });

  it('needs a sender and the address of the portal; without one neither is needed', () => {
    const { STRONGROOM_PUBLIC_URL: _, ...rest } = complete;
    expect(variablesOf({ ...rest, STRONGROOM_SMTP_URL: 'smtps://mail.example.com' }, readWorkerConfig)).toEqual([
      'STRONGROOM_PUBLIC_URL is not set',
      'STRONGROOM_MAIL_FROM is not set',
    ]);
    expect(readWorkerConfig(rest).mail).toEqual({ publicUrl: undefined, smtp: undefined });
  });
});

describe('an OpenID provider', () => {
  const settings = {
    STRONGROOM_OPENID_ISSUER: 'https://login.example.com',
    STRONGROOM_OPENID_CLIENT_ID: 'strongroom',
    STRONGROOM_OPENID_CLIENT_SECRET: 'between the two',
  };

  it('is read with a name for it, and its secret stays out of what is printed', () => {
    const { openid } = readServerConfig({ ...complete, ...settings });
    expect(openid).toMatchObject({
      issuer: 'https://login.example.com',
      clientId: 'strongroom',
      name: 'single sign-on',
    });
    expect(JSON.stringify(openid)).not.toContain('between the two');
  });

  it('needs client and secret', () => {
    expect(variablesOf({ ...complete, STRONGROOM_OPENID_ISSUER: 'https://login.example.com' })).toEqual([
      'STRONGROOM_OPENID_CLIENT_ID is not set',
      'STRONGROOM_OPENID_CLIENT_SECRET is not set',
    ]);
  });

  it.each(['login.example.com', 'http://login.example.com', 'http://localhost.example.com', 'ftp://localhost'])(
    'is refused at %s',
    (STRONGROOM_OPENID_ISSUER) => {
      expect(variablesOf({ ...complete, ...settings, STRONGROOM_OPENID_ISSUER })).toEqual([
        'STRONGROOM_OPENID_ISSUER is not valid',
      ]);
    },
  );

  it('may be without encryption on this machine', () => {
    const STRONGROOM_OPENID_ISSUER = 'http://localhost:3000';
    expect(readServerConfig({ ...complete, ...settings, STRONGROOM_OPENID_ISSUER }).openid?.issuer).toBe(
      STRONGROOM_OPENID_ISSUER,
    );
  });
});

describe('what other commands need', () => {
  it('is also the public address for those that print links', () => {
    expect(variablesOf({}, readLinkConfig)).toEqual([
      'STRONGROOM_DATABASE_URL is not set',
      'STRONGROOM_ROOT_KEY is not set',
      'STRONGROOM_PUBLIC_URL is not set',
    ]);
  });

  it('is a database and a root key for those that work on the vault', () => {
    expect(variablesOf({}, readVaultConfig)).toEqual([
      'STRONGROOM_DATABASE_URL is not set',
      'STRONGROOM_ROOT_KEY is not set',
    ]);
  });

  it('is a database for migrate', () => {
    expect(variablesOf({}, readDatabaseConfig)).toEqual(['STRONGROOM_DATABASE_URL is not set']);
  });

  it('is nothing for dev, whatever database the environment names', () => {
    const read = (environment: Environment) => readDevelopmentConfig(environment, { usesDatabase: false });
    expect(read({})).toEqual({
      database: undefined,
      rootKeys: undefined,
      limits,
      outbound: nothingOpened,
      smtp: undefined,
    });
    expect(read(complete)).toMatchObject({ database: undefined, rootKeys: { primary: { kind: 'file' } } });
  });

  it('is a database and a root key for dev on a database that outlives it', () => {
    const read = (environment: Environment) => readDevelopmentConfig(environment, { usesDatabase: true });
    const { STRONGROOM_DATABASE_URL, STRONGROOM_ROOT_KEY } = complete;
    expect(variablesOf({ STRONGROOM_DATABASE_URL }, read)).toEqual(['STRONGROOM_ROOT_KEY is not set']);
    expect(variablesOf({ STRONGROOM_ROOT_KEY }, read)).toEqual(['STRONGROOM_DATABASE_URL is not set']);
    expect(read(complete).database?.url).toBe(STRONGROOM_DATABASE_URL);
  });

  it.each([
    [{}, false],
    [{ STRONGROOM_DATABASE_URL: '' }, false],
    [{ STRONGROOM_DATABASE_URL: 'postgresql://db.internal/strongroom' }, true],
    [{ STRONGROOM_DATABASE_URL_FILE: '/run/secrets/database' }, true],
  ])('names a database or not: %j', (environment, expected) => {
    expect(hasDatabase(environment)).toBe(expected);
  });
});
