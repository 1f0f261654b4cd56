import { auditArchive } from './audit-archive-settings.ts';
import { alerts, audit } from './audit-settings.ts';
import { moving } from './cell-settings.ts';
import { database, type DatabaseConfig } from './database-settings.ts';
import { elements } from './elements-settings.ts';
import { limits, redisUrl } from './limits-settings.ts';
import { logStreams } from './log-stream-settings.ts';
import { outbound } from './outbound-settings.ts';
import { mail, mailFrom, openid, smtp } from './portal-settings.ts';
import { always, group, isConfigured, optional, settingsOf, type ValueOf } from './reading.ts';
import { optionalRootKeys, rootKeys } from './root-key/root-key-settings.ts';
import * as serving from './server-settings.ts';
import type { Environment } from './setting.ts';
import { traces } from './trace-settings.ts';

const { listen, drain, requestTimeoutSeconds, servesReference, documentationUrl, cell, logLevel, publicUrl } = serving;

/** Returns the environment of this process. Nothing else reads it. */
export function processEnvironment(): Environment {
  return process.env;
}

const server = group({
  database,
  rootKeys,
  cell,
  listen,
  drain,
  limits,
  requestTimeoutSeconds,
  outbound,
  elements,
  openid,
  mailFrom,
  servesReference,
  documentationUrl,
  alerts,
  traces,
  logLevel,
});
export type ServerConfig = ValueOf<typeof server>;

/**
 * Reads the configuration of `serve`. It needs a database, a root key and a public address. Everything else has a
 * default.
 */
export const readServerConfig = server.read;

const vaultMembers = { database, rootKeys, cell, logLevel };
const vault = group(vaultMembers);

/** The configuration of commands that work on the vault without serving it. */
export type VaultConfig = ValueOf<typeof vault>;
export const readVaultConfig = vault.read;

/** Reads the configuration of a cell that a tenant leaves or moves to. */
const cellGroup = group({ ...vaultMembers, moving });
export type CellConfig = ValueOf<typeof cellGroup>;
export const readCellConfig = cellGroup.read;

const log = group({ ...vaultMembers, audit });

/** The configuration of commands that read the audit log. */
export type LogConfig = ValueOf<typeof log>;
export const readLogConfig = log.read;

/** Returns true if the environment names an archive of the audit log. */
export function hasArchive(environment: Environment): boolean {
  return isConfigured(auditArchive, environment);
}

/** Reads the configuration of commands that create links into the portal. */
export const readLinkConfig = group({ ...vaultMembers, publicUrl }).read;

/** The configuration of `work`. */
const worker = group({ ...vaultMembers, audit, logStreams, outbound, admin: serving.workerAdmin, mail, traces });
export type WorkerConfig = ValueOf<typeof worker>;
export const readWorkerConfig = worker.read;

/** Returns the streams of the audit log that are configured on this machine. */
export const readLogStreams = logStreams.read;

/** Reads whether a process that must not be restarted stays up instead of exiting. */
export const readStaysWhenRefused = serving.staysWhenRefused.read.bind(serving.staysWhenRefused);

/** All settings. A server or a worker reads each of them, except those for moving tenants. */
export const allSettings = settingsOf([server, worker, serving.staysWhenRefused, moving]);

export const readDatabaseConfig = database.read;

/** Returns true if the environment names a database. */
export function hasDatabase(environment: Environment): boolean {
  return isConfigured(database, environment);
}

/** Returns the public address for display, if it is set. */
export const readAddress = optional(publicUrl).read;

/** Returns the origin of the card fields, if it is set. */
export const readElementsConfig = elements.read;

/** Returns the address of the Redis in which servers count requests together, if it is set. */
export const readRedisUrl = redisUrl.read;

/** Returns the address at which the server or the worker of this machine reports its health. */
export function readAdminAddress(environment: Environment, role: 'serve' | 'work'): WorkerConfig['admin'] {
  return (role === 'serve' ? serving.serverAdmin : serving.workerAdmin).read(environment);
}

const noDatabase = always<DatabaseConfig | undefined>(undefined);
const development = group({ database: noDatabase, rootKeys: optionalRootKeys, limits, outbound, smtp, openid });
// A database outlives this process, so the key that seals its data must too.
const developmentOnDatabase = group({ database, rootKeys, limits, outbound, smtp, openid });

/** The settings that `dev` takes from the environment. Each part is optional, because `dev` has its own defaults. */
export type DevelopmentConfig = ValueOf<typeof development>;

/**
 * Reads the configuration of `dev`. `usesDatabase` is true if the database in the environment is to be used. The user
 * decides that, not the environment.
 */
export function readDevelopmentConfig(
  environment: Environment,
  { usesDatabase }: { readonly usesDatabase: boolean },
): DevelopmentConfig {
  return (usesDatabase ? developmentOnDatabase : development).read(environment);
}
