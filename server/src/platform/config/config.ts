import type { AlertThresholds } from '../audit/watch/alert-rule.ts';
import type { AddressRange } from '../../core/network/address-range.ts';
import type { RootKeysConfig } from '../keyring/kms/open-root-key.ts';
import { type RateLimitTable, withLimits } from '../rate-limit/rate-limit-table.ts';
import type { OutboundConfig } from '../outbound/outbound-config.ts';
import type { SmtpConfig } from '../mail/smtp-config.ts';
import type { OpenidConfig } from '../outbound/openid-provider.ts';
import type { TraceConfig } from '../traces/trace-config.ts';
import { elements, type ElementsConfig } from './elements-reading.ts';
import { outbound } from './outbound-reading.ts';
import * as portal from './portal-settings.ts';
import {
  allOf,
  always,
  mapped,
  optional,
  type Reading,
  type ReadingsOf,
  readFrom,
  required,
  whereSet,
} from './reading.ts';
import { optionalRootKeys, rootKeys } from './root-key-reading.ts';
import type { Environment } from './setting.ts';
import { SettingSource } from './setting-source.ts';
import * as settings from './settings.ts';
import { traces } from './trace-reading.ts';

export interface DatabaseConfig {
  readonly url: string;
  /** For changing the schema and taking jobs; the same as `url` where one role does both. */
  readonly ownerUrl: string;
  readonly connectionsMax: number;
  /** How long a statement may take. Waiting for a connection may take half of that. */
  readonly timeoutSeconds: number;
  /** Whether writes are refused while no synchronous standby is attached; they are not by default. */
  readonly requiresStandby?: boolean | undefined;
}

export interface ListenConfig {
  readonly publicUrl: string;
  readonly host: string;
  readonly port: number;
  readonly adminHost: string;
  readonly adminPort: number;
}

/** How a server stops. */
export interface DrainConfig {
  /** It reports unready and still serves for this long, so that load balancers notice. */
  readonly delaySeconds: number;
  /** Requests that are in progress after that are cut off after this long. */
  readonly timeoutSeconds: number;
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
  /** No delay by default. */
  readonly drain?: DrainConfig | undefined;
  readonly limits: LimitsConfig;
  /** How long a request may take; ten seconds where nothing is said. */
  readonly requestTimeoutSeconds?: number | undefined;
  readonly outbound: OutboundConfig;
  /** The origin of the card fields, where they are served. */
  readonly elements?: ElementsConfig | undefined;
  /** Another way to sign in to the portal, where there is one. */
  readonly openid?: OpenidConfig | undefined;
  /** Whether `/docs` and `/openapi.json` are served; they are where nothing is said. */
  readonly servesReference?: boolean | undefined;
  /** Where traces are sent, if they are. */
  readonly traces?: TraceConfig | undefined;
  readonly logLevel: settings.LogLevel;
}

/** The environment of this process: the one place that reads it. */
export function processEnvironment(): Environment {
  return process.env;
}

/** What `serve` needs: a database, a root key and a public address; everything else has a default. */
export function readServerConfig(environment: Environment): ServerConfig {
  return readFrom(environment, server);
}

/** What commands need that work on the vault without serving it. */
export type VaultConfig = Pick<ServerConfig, 'database' | 'rootKeys' | 'logLevel'>;

export function readVaultConfig(environment: Environment): VaultConfig {
  return readFrom(environment, allOf<VaultConfig>(vault));
}

/** What commands need that hand out links into the portal. */
export interface LinkConfig extends VaultConfig {
  readonly publicUrl: string;
}

export function readLinkConfig(environment: Environment): LinkConfig {
  return readFrom(environment, allOf<LinkConfig>({ ...vault, publicUrl: required(settings.publicUrl) }));
}

/** The public address, where it is set: only to be shown. */
export function readAddress(environment: Environment): string | undefined {
  return readFrom(environment, optional(settings.publicUrl));
}

/** The origin of the card fields, where it is set. */
export function readElementsConfig(environment: Environment): ElementsConfig | undefined {
  return readFrom(environment, elements);
}

/** Where the server or the worker of this machine reports its health. */
export function readAdminAddress(
  environment: Environment,
  role: 'serve' | 'work',
): { readonly host: string; readonly port: number } {
  const port = role === 'serve' ? settings.adminPort : settings.workerAdminPort;
  return readFrom(
    environment,
    allOf<WorkerConfig['admin']>({ host: required(settings.adminHost), port: required(port) }),
  );
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
  readonly traces?: TraceConfig | undefined;
}

/** How invitations leave: with links to this address, by this mail server, if there is one. */
export interface MailConfig {
  readonly publicUrl: string | undefined;
  readonly smtp: SmtpConfig | undefined;
}

export function readWorkerConfig(environment: Environment): WorkerConfig {
  return readFrom(environment, worker);
}

export function readDatabaseConfig(environment: Environment): DatabaseConfig {
  return readFrom(environment, database);
}

/** What `dev` takes from the environment: each part on its own, since it brings its own for the rest. */
export interface DevelopmentConfig {
  /** Undefined if it brings its own. */
  readonly database: DatabaseConfig | undefined;
  readonly rootKeys: RootKeysConfig | undefined;
  readonly limits: LimitsConfig;
  readonly outbound: OutboundConfig;
  readonly smtp: SmtpConfig | undefined;
}

/** `usesDatabase`: whether the database of the environment is used. Only its user can say so, not the environment. */
export function readDevelopmentConfig(
  environment: Environment,
  { usesDatabase }: { readonly usesDatabase: boolean },
): DevelopmentConfig {
  return readFrom(environment, usesDatabase ? developmentOnDatabase : development);
}

/** Whether the environment names a database. */
export function hasDatabase(environment: Environment): boolean {
  return new SettingSource(environment).has(settings.databaseUrl);
}

const database: Reading<DatabaseConfig> = mapped(
  allOf<Omit<DatabaseConfig, 'ownerUrl'> & { readonly ownerUrl: string | undefined }>({
    url: required(settings.databaseUrl),
    ownerUrl: optional(settings.databaseOwnerUrl),
    connectionsMax: required(settings.databaseConnections),
    timeoutSeconds: required(settings.databaseTimeoutSeconds),
    requiresStandby: required(settings.requireSynchronousStandby),
  }),
  ({ ownerUrl, ...rest }) => Object.freeze({ ...rest, ownerUrl: ownerUrl ?? rest.url }),
);

const limits: Reading<LimitsConfig> = mapped(
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

const openid = whereSet(
  portal.openidIssuer,
  allOf<OpenidConfig>({
    issuer: required(portal.openidIssuer),
    clientId: required(portal.openidClientId),
    clientSecret: required(portal.openidClientSecret),
    name: required(portal.openidName),
  }),
);

const smtp = whereSet(
  portal.smtpUrl,
  allOf<SmtpConfig>({ server: required(portal.smtpUrl), from: required(portal.mailFrom) }),
);

const vault: ReadingsOf<VaultConfig> = { database, rootKeys, logLevel: required(settings.logLevel) };

const server = allOf<ServerConfig>({
  database,
  rootKeys,
  listen: allOf<ListenConfig>({
    publicUrl: required(settings.publicUrl),
    host: required(settings.host),
    port: required(settings.port),
    adminHost: required(settings.adminHost),
    adminPort: required(settings.adminPort),
  }),
  drain: allOf<DrainConfig>({
    delaySeconds: required(settings.drainDelaySeconds),
    timeoutSeconds: required(settings.drainTimeoutSeconds),
  }),
  limits,
  requestTimeoutSeconds: required(settings.requestTimeoutSeconds),
  outbound,
  elements,
  openid,
  servesReference: required(settings.apiReference),
  traces,
  logLevel: required(settings.logLevel),
});

const worker = allOf<WorkerConfig>({
  ...vault,
  audit: allOf<AuditConfig>({
    retentionMonths: required(settings.auditRetentionMonths),
    anchorFile: optional(settings.auditAnchorFile),
    anchorUrl: optional(settings.auditAnchorUrl),
    alerts: allOf<AlertThresholds>({
      windowMinutes: required(settings.alertWindowMinutes),
      misses: required(settings.alertMisses),
      reveals: required(settings.alertReveals),
      addresses: required(settings.alertAddresses),
    }),
  }),
  admin: allOf<WorkerConfig['admin']>({
    host: required(settings.adminHost),
    port: required(settings.workerAdminPort),
  }),
  mail: allOf<MailConfig>({
    // Needed only where links are mailed.
    publicUrl: (source) => (source.has(portal.smtpUrl) ? required : optional)(settings.publicUrl)(source),
    smtp,
  }),
  traces,
});

const development = allOf<DevelopmentConfig>({
  database: always(undefined),
  rootKeys: optionalRootKeys,
  limits,
  outbound,
  smtp,
});

const developmentOnDatabase = allOf<DevelopmentConfig>({
  database,
  // A database outlives this process, so the key that seals it has to as well.
  rootKeys,
  limits,
  outbound,
  smtp,
});
