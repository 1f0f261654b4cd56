import { defaultThresholds } from '../../platform/audit/watch/alert-rule.ts';
import type { ServerConfig, WorkerConfig } from '../../platform/config/config.ts';
import type { DatabaseConfig } from '../../platform/config/database-settings.ts';
import { fileRootKeyConfig, parseRootKey } from '../../platform/keyring/kms/file/file-root-key.ts';
import type { EchoDestination } from '../../platform/loopback/echo-destination.ts';
import type { SmtpConfig } from '../../platform/mail/smtp-config.ts';
import type { DevelopmentMemory } from './development-memory.ts';
import type { DevelopmentOptions } from './development-options.ts';

/** The URL and port of the card fields. */
type ElementsPlace = NonNullable<ServerConfig['elements']>;

/**
 * Returns the configuration that `serve` would read from its environment, limited to loopback and with the echo
 * destination.
 */
export function toServerConfig(
  options: DevelopmentOptions & { readonly elements: ElementsPlace; readonly documentationUrl: string | undefined },
  parts: { memory: DevelopmentMemory; database: DatabaseConfig; echo: EchoDestination },
): ServerConfig {
  const { memory, database, echo } = parts;
  return {
    database,
    rootKeys: options.rootKeys ?? { primary: fileRootKeyConfig(requireRootKey(memory)), others: [] },
    listen: {
      publicUrl: `http://localhost:${options.port}`,
      host: '127.0.0.1',
      port: options.port,
      adminHost: '127.0.0.1',
      adminPort: 0,
    },
    cell: undefined,
    drain: { delaySeconds: 0, timeoutSeconds: 20 },
    limits: options.limits,
    requestTimeoutSeconds: 10,
    outbound: { ...options.outbound, ownDestination: echo.destination },
    elements: options.elements,
    openid: options.openid,
    mailFrom: options.smtp?.from,
    servesReference: true,
    documentationUrl: options.documentationUrl,
    alerts: defaultThresholds,
    traces: undefined,
    logLevel: 'warn',
  };
}

function requireRootKey({ rootKey }: DevelopmentMemory) {
  const key = parseRootKey(rootKey);
  if (key === undefined) throw new Error('The root key of this vault is not valid.');
  return key;
}

export function toWorkerConfig(config: ServerConfig, smtp: SmtpConfig | undefined): WorkerConfig {
  return {
    ...config,
    audit: {
      retentionMonths: 13,
      anchorFile: undefined,
      anchorUrl: undefined,
      backupDays: undefined,
      archive: undefined,
      evidenceMonths: undefined,
      alerts: defaultThresholds,
    },
    logStreams: [],
    admin: { host: '127.0.0.1', port: 0 },
    mail: { publicUrl: config.listen.publicUrl, smtp },
  };
}
