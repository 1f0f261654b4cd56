import type { AlertThresholds } from '../audit/watch/alert-rule.ts';
import type { RootKeysConfig } from '../keyring/kms/open-root-key.ts';
import type { OutboundConfig } from '../outbound/outbound-config.ts';
import type { SmtpConfig } from '../mail/smtp-config.ts';
import type { OpenidConfig } from '../outbound/openid-provider.ts';
import type { TraceConfig } from '../traces/trace-config.ts';
import { database, type DatabaseConfig } from './database-reading.ts';
import { elements, type ElementsConfig } from './elements-reading.ts';
import { limits, type LimitsConfig } from './limits-reading.ts';
import { outbound } from './outbound-reading.ts';
import { openid, smtp } from './portal-reading.ts';
import * as portal from './portal-settings.ts';
import { allOf, always, optional, type ReadingsOf, readFrom, required } from './reading.ts';
import { optionalRootKeys, rootKeys } from './root-key-reading.ts';
import type { Environment } from './setting.ts';
import { SettingSource } from './setting-source.ts';
import * as settings from './settings.ts';
import { traces } from './trace-reading.ts';

export interface ListenConfig {
  readonly publicUrl: string;
  readonly host: string;
  readonly port: number;
  readonly adminHost: string;
  readonly adminPort: number;
}

/** Settings for how a server stops. */
export interface DrainConfig {
  /**
   * The time for which a stopping server reports unready but still serves, so that load balancers stop sending
   * requests.
   */
  readonly delaySeconds: number;
  /** The time after that until requests in progress are cut off. */
  readonly timeoutSeconds: number;
}

export interface ServerConfig {
  readonly database: DatabaseConfig;
  readonly rootKeys: RootKeysConfig;
  readonly listen: ListenConfig;
  /** Settings for how the server stops. The default is no delay. */
  readonly drain?: DrainConfig | undefined;
  readonly limits: LimitsConfig;
  /** The time limit of a request. The default is ten seconds. */
  readonly requestTimeoutSeconds?: number | undefined;
  readonly outbound: OutboundConfig;
  /** The origin of the card fields, if they are served. */
  readonly elements?: ElementsConfig | undefined;
  /** The OpenID provider for signing in to the portal, if there is one. */
  readonly openid?: OpenidConfig | undefined;
  /** True if `/docs` and `/openapi.json` are served. The default is true. */
  readonly servesReference?: boolean | undefined;
  /** The collector to which traces are sent, if there is one. */
  readonly traces?: TraceConfig | undefined;
  readonly logLevel: settings.LogLevel;
}

/** Returns the environment of this process. Nothing else reads it. */
export function processEnvironment(): Environment {
  return process.env;
}

/**
 * Reads the configuration of `serve`. It needs a database, a root key and a public address. Everything else has a
 * default.
 */
export function readServerConfig(environment: Environment): ServerConfig {
  return readFrom(environment, server);
}

/** The configuration of commands that work on the vault without serving it. */
export type VaultConfig = Pick<ServerConfig, 'database' | 'rootKeys' | 'logLevel'>;

export function readVaultConfig(environment: Environment): VaultConfig {
  return readFrom(environment, allOf<VaultConfig>(vault));
}

/** The configuration of commands that create links into the portal. */
export interface LinkConfig extends VaultConfig {
  readonly publicUrl: string;
}

export function readLinkConfig(environment: Environment): LinkConfig {
  return readFrom(environment, allOf<LinkConfig>({ ...vault, publicUrl: required(settings.publicUrl) }));
}

/** Returns the public address for display, if it is set. */
export function readAddress(environment: Environment): string | undefined {
  return readFrom(environment, optional(settings.publicUrl));
}

/** Returns the origin of the card fields, if it is set. */
export function readElementsConfig(environment: Environment): ElementsConfig | undefined {
  return readFrom(environment, elements);
}

/** Returns the address at which the server or the worker of this machine reports its health. */
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
  /** Secondary destinations for checkpoints: this file, and `anchorUrl`. */
  readonly anchorFile: string | undefined;
  readonly anchorUrl: string | undefined;
  readonly alerts: AlertThresholds;
}

/** The configuration of `work`. */
export interface WorkerConfig extends VaultConfig {
  readonly audit: AuditConfig;
  readonly admin: { readonly host: string; readonly port: number };
  readonly mail: MailConfig;
  readonly traces?: TraceConfig | undefined;
}

/** Settings for sending invitations: the address for their links, and the mail server, if there is one. */
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

/** The settings that `dev` takes from the environment. Each part is optional, because `dev` has its own defaults. */
export interface DevelopmentConfig {
  /** The database. Undefined if `dev` runs its own. */
  readonly database: DatabaseConfig | undefined;
  readonly rootKeys: RootKeysConfig | undefined;
  readonly limits: LimitsConfig;
  readonly outbound: OutboundConfig;
  readonly smtp: SmtpConfig | undefined;
}

/**
 * Reads the configuration of `dev`. `usesDatabase` is true if the database in the environment is to be used. The user
 * decides that, not the environment.
 */
export function readDevelopmentConfig(
  environment: Environment,
  { usesDatabase }: { readonly usesDatabase: boolean },
): DevelopmentConfig {
  return readFrom(environment, usesDatabase ? developmentOnDatabase : development);
}

/** Returns true if the environment names a database. */
export function hasDatabase(environment: Environment): boolean {
  return new SettingSource(environment).has(settings.databaseUrl);
}

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
    // The address is needed only if links are mailed.
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
  // A database outlives this process, so the key that seals its data must too.
  rootKeys,
  limits,
  outbound,
  smtp,
});
