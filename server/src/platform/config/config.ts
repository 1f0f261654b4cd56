import type { AlertThresholds } from '../audit/alert-rule.ts';
import type { AddressRange } from '../../core/network/address-range.ts';
import type { RootKeysConfig } from '../keyring/kms/open-root-key.ts';
import { type RateLimitTable, withLimits } from '../rate-limit/rate-limit-table.ts';
import type { OutboundConfig } from '../outbound/outbound-config.ts';
import { readOutbound } from './outbound-settings.ts';
import type { SmtpConfig } from '../mail/smtp-config.ts';
import type { OpenidConfig } from '../outbound/openid-provider.ts';
import { type Environment, SettingReader, type Unfinished } from './setting.ts';
import * as portal from './portal-settings.ts';
import { readOptionalRootKeys, readRootKeys } from './root-key-settings.ts';
import * as settings from './settings.ts';

export interface DatabaseConfig {
  readonly url: string;
  /** For changing the schema and taking jobs; the same as `url` where one role does both. */
  readonly ownerUrl: string;
  readonly connectionsMax: number;
}

export interface ListenConfig {
  readonly publicUrl: string;
  readonly host: string;
  readonly port: number;
  readonly adminHost: string;
  readonly adminPort: number;
}

export interface LimitsConfig {
  readonly table: RateLimitTable;
  /** False where something in front of the vault limits requests. Guessing keys is limited all the same. */
  readonly countsRequests: boolean;
  /** How many different sets of containers a tenant may have, and how many its public keys may make a day. */
  readonly containerSets: { readonly tenantMax: number; readonly publicDailyMax: number };
  readonly redisUrl: string | undefined;
  /** How long a request waits for Redis at most; five milliseconds where nothing is said. */
  readonly redisWaitMs?: number;
  readonly trustedProxies: readonly AddressRange[];
}

export interface ServerConfig {
  readonly database: DatabaseConfig;
  readonly rootKeys: RootKeysConfig;
  readonly listen: ListenConfig;
  readonly limits: LimitsConfig;
  readonly outbound: OutboundConfig;
  /** Another way to sign in to the portal, where there is one. */
  readonly openid?: OpenidConfig | undefined;
  /** Whether `/docs` and `/openapi.json` are served; they are where nothing is said. */
  readonly servesReference?: boolean | undefined;
  readonly logLevel: settings.LogLevel;
}

/** The environment of this process: the one place that reads it. */
export function processEnvironment(): Environment {
  return process.env;
}

/** What `serve` needs: a database, a root key and a public address; everything else has a default. */
export function readServerConfig(environment: Environment): ServerConfig {
  const reader = new SettingReader(environment);
  const config = {
    database: readDatabase(reader),
    rootKeys: readRootKeys(reader),
    listen: {
      publicUrl: reader.read(settings.publicUrl),
      host: reader.read(settings.host),
      port: reader.read(settings.port),
      adminHost: reader.read(settings.adminHost),
      adminPort: reader.read(settings.adminPort),
    },
    limits: readLimits(reader),
    outbound: readOutbound(reader),
    openid: readOpenid(reader),
    servesReference: reader.read(settings.apiReference),
    logLevel: reader.read(settings.logLevel),
  };
  reader.finish();
  return Object.freeze(config as ServerConfig);
}

/** What commands need that work on the vault without serving it. */
export type VaultConfig = Pick<ServerConfig, 'database' | 'rootKeys' | 'logLevel'>;

export function readVaultConfig(environment: Environment): VaultConfig {
  const reader = new SettingReader(environment);
  const config = {
    database: readDatabase(reader),
    rootKeys: readRootKeys(reader),
    logLevel: reader.read(settings.logLevel),
  };
  reader.finish();
  return Object.freeze(config as VaultConfig);
}

/** What commands need that hand out links into the portal. */
export interface LinkConfig extends VaultConfig {
  readonly publicUrl: string;
}

export function readLinkConfig(environment: Environment): LinkConfig {
  const reader = new SettingReader(environment);
  const config = {
    database: readDatabase(reader),
    rootKeys: readRootKeys(reader),
    logLevel: reader.read(settings.logLevel),
    publicUrl: reader.read(settings.publicUrl),
  };
  reader.finish();
  return Object.freeze(config as LinkConfig);
}

export interface AuditConfig {
  readonly retentionMonths: number;
  /** Second places for checkpoints. */
  readonly anchorFile: string | undefined;
  readonly anchorUrl: string | undefined;
  readonly alerts: AlertThresholds;
}

/** What `work` needs beyond that. */
export interface WorkerConfig extends VaultConfig {
  readonly audit: AuditConfig;
  readonly admin: { readonly host: string; readonly port: number };
  readonly mail: MailConfig;
}

/** How invitations leave: with links to this address, by this mail server, if there is one. */
export interface MailConfig {
  readonly publicUrl: string | undefined;
  readonly smtp: SmtpConfig | undefined;
}

export function readWorkerConfig(environment: Environment): WorkerConfig {
  const reader = new SettingReader(environment);
  const config = {
    database: readDatabase(reader),
    rootKeys: readRootKeys(reader),
    logLevel: reader.read(settings.logLevel),
    audit: {
      retentionMonths: reader.read(settings.auditRetentionMonths),
      anchorFile: reader.readOptional(settings.auditAnchorFile),
      anchorUrl: reader.readOptional(settings.auditAnchorUrl),
      alerts: {
        windowMinutes: reader.read(settings.alertWindowMinutes),
        misses: reader.read(settings.alertMisses),
        reveals: reader.read(settings.alertReveals),
        addresses: reader.read(settings.alertAddresses),
      },
    },
    admin: { host: reader.read(settings.adminHost), port: reader.read(settings.workerAdminPort) },
    mail: readMail(reader),
  };
  reader.finish();
  return Object.freeze(config as WorkerConfig);
}

export function readDatabaseConfig(environment: Environment): DatabaseConfig {
  const reader = new SettingReader(environment);
  const config = readDatabase(reader);
  reader.finish();
  return Object.freeze(config as DatabaseConfig);
}

/** What `dev` takes from the environment: each part on its own, since it brings its own for the rest. */
export function readDevelopmentConfig(environment: Environment): {
  readonly database: DatabaseConfig | undefined;
  readonly rootKeys: RootKeysConfig | undefined;
  readonly limits: LimitsConfig;
  readonly outbound: OutboundConfig;
  readonly smtp: SmtpConfig | undefined;
} {
  const reader = new SettingReader(environment);
  const hasDatabase = reader.has(settings.databaseUrl);
  const database = hasDatabase ? readDatabase(reader) : undefined;
  // A database outlives this process, so the key that seals it has to as well.
  const rootKeys = hasDatabase ? readRootKeys(reader) : readOptionalRootKeys(reader);
  const limits = readLimits(reader);
  const outbound = readOutbound(reader);
  const smtp = readSmtp(reader);
  reader.finish();
  return {
    database: database as DatabaseConfig | undefined,
    rootKeys,
    limits,
    outbound,
    smtp: smtp as SmtpConfig | undefined,
  };
}

function readDatabase(reader: SettingReader): Unfinished<DatabaseConfig> {
  const url = reader.read(settings.databaseUrl);
  return {
    url,
    ownerUrl: reader.readOptional(settings.databaseOwnerUrl) ?? url,
    connectionsMax: reader.read(settings.databaseConnections),
  };
}

function readLimits(reader: SettingReader): LimitsConfig {
  const limits = reader.read(settings.rateLimits) ?? {};
  return {
    table: withLimits(limits === 'off' ? {} : limits),
    countsRequests: limits !== 'off',
    containerSets: {
      tenantMax: reader.read(settings.containerSetsMax) ?? 0,
      publicDailyMax: reader.read(settings.containerSetsPublicDailyMax) ?? 0,
    },
    redisUrl: reader.readOptional(settings.redisUrl),
    trustedProxies: reader.read(settings.trustedProxies) ?? [],
  };
}

function readOpenid(reader: SettingReader): Unfinished<OpenidConfig> | undefined {
  if (!reader.has(portal.openidIssuer)) return undefined;
  return {
    issuer: reader.read(portal.openidIssuer),
    clientId: reader.read(portal.openidClientId),
    clientSecret: reader.read(portal.openidClientSecret),
    name: reader.read(portal.openidName),
  };
}

/** The public address is needed only where links are mailed. */
function readMail(reader: SettingReader): { [Key in keyof MailConfig]: unknown } {
  if (!reader.has(portal.smtpUrl)) return { publicUrl: reader.readOptional(settings.publicUrl), smtp: undefined };
  return { publicUrl: reader.read(settings.publicUrl), smtp: readSmtp(reader) };
}

function readSmtp(reader: SettingReader): Unfinished<SmtpConfig> | undefined {
  if (!reader.has(portal.smtpUrl)) return undefined;
  return { server: reader.read(portal.smtpUrl), from: reader.read(portal.mailFrom) };
}
