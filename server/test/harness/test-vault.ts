import { permissionsOf } from '../../src/core/access/permission.ts';
import type { FirstApplication } from '../../src/features/tenants/index.ts';
import { VaultServer } from '../../src/app/serve/vault-server.ts';
import type { ServerConfig, VaultConfig } from '../../src/platform/config/config.ts';
import type { LimitsConfig } from '../../src/platform/config/limits-settings.ts';
import type { DrainConfig } from '../../src/platform/config/server-settings.ts';
import { fileRootKeyConfig, generateRootKey, parseRootKey } from '../../src/platform/keyring/kms/file/file-root-key.ts';
import type { OwnRootKeysConfig } from '../../src/platform/keyring/kms/own-root-keys.ts';
import type { RootKeyConfig } from '../../src/platform/keyring/kms/open-root-key.ts';
import { PasswordHasher } from '../../src/platform/keyring/sign-in/password-hasher.ts';
import { rateLimitScopes, withLimits } from '../../src/platform/rate-limit/rate-limit-table.ts';
import { type OutboundConfig, outboundLimits } from '../../src/platform/outbound/outbound-config.ts';
import type { Logger, LogFields } from '../../src/platform/telemetry/logger.ts';
import type { TraceConfig } from '../../src/platform/traces/trace-config.ts';
import type { Clock } from '../../src/platform/waiting/time-budget.ts';
import { defaultThresholds } from '../../src/platform/audit/watch/alert-rule.ts';
import { databaseTimeoutSeconds } from './deadline.ts';
import { send } from './http-client.ts';
import { createTestDatabase, type TestDatabase } from './test-database.ts';

export interface TestTenant {
  readonly id: string;
  readonly keys: Readonly<Record<'private' | 'reveal' | 'public' | 'management', string>>;
}

export interface TestElements {
  readonly config: NonNullable<ServerConfig['elements']>;
  readonly folder: string;
}

export interface TestResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body parsed as JSON, or undefined if it is empty. */
  readonly body: unknown;
}

export interface TestRequest {
  readonly key?: string;
  readonly body?: unknown;
  /** Sent unchanged instead of `body`. */
  readonly rawBody?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  /** The URL of another server of the same vault. */
  readonly url?: string;
}

/** A server in this process with its own database, called over real HTTP. */
export class TestVault {
  readonly database: TestDatabase;
  readonly server: VaultServer;
  readonly logLines: string[] = [];
  readonly limits: LimitsConfig;
  readonly outbound: OutboundConfig;
  /** The bytes of the root key, unless a key service holds it. */
  readonly fileKey: Buffer | undefined;
  readonly #rootKey: RootKeyConfig;
  readonly #ownRootKeys: OwnRootKeysConfig | undefined;
  readonly #others: VaultServer[] = [];

  /**
   * Starts a vault. By default its limits are too high to be reached by accident, and it cannot call anything outside.
   */
  static async start(
    rootKey: Buffer | RootKeyConfig = parseRootKey(generateRootKey()) ?? Buffer.alloc(32),
    own: {
      readonly limits?: Partial<LimitsConfig>;
      readonly outbound?: Partial<OutboundConfig>;
      readonly database?: TestDatabase;
      /** The statement timeout. The default is longer than any statement takes. */
      readonly databaseTimeoutSeconds?: number;
      /** The request timeout. The default is the longest that a vault accepts. */
      readonly requestTimeoutSeconds?: number;
      readonly requiresStandby?: boolean;
      readonly drain?: DrainConfig;
      /** The clock for log searches. By default no time passes, no matter how slow the machine is. */
      readonly clock?: Clock;
      /** The configuration of the card fields and the folder of their build. */
      readonly elements?: TestElements;
      /** The sender of mails, as a server with a mail server knows it. */
      readonly mailFrom?: ServerConfig['mailFrom'];
      /** The destination of traces. By default none are sent. */
      readonly traces?: TraceConfig;
      /** The root keys of tenants that have their own. */
      readonly ownRootKeys?: OwnRootKeysConfig;
      /** The name of the cell. By default it has none. */
      readonly cell?: string;
    } = {},
  ): Promise<TestVault> {
    const rootKeyConfig = Buffer.isBuffer(rootKey) ? fileRootKeyConfig(rootKey) : rootKey;
    const database = own.database ?? (await createTestDatabase());
    const lines: string[] = [];
    const limits = { ...highLimits, ...own.limits };
    const outbound = { ...closedOutbound, ...own.outbound };
    const { drain, clock, elements, traces, requiresStandby, mailFrom, cell } = own;
    const { databaseTimeoutSeconds: timeoutSeconds, requestTimeoutSeconds } = own;
    const more = {
      drain,
      clock,
      elements,
      traces,
      mailFrom,
      cell,
      timeoutSeconds,
      requestTimeoutSeconds,
      requiresStandby,
    };
    const { ownRootKeys } = own;
    const parts = { url: database.url, rootKey: rootKeyConfig, ownRootKeys, limits, outbound, ...more };
    const server = await startServer(parts, lines);
    const fileKey = Buffer.isBuffer(rootKey) ? rootKey : undefined;
    return new TestVault({ database, server, rootKey: rootKeyConfig, ownRootKeys, fileKey, limits, outbound, lines });
  }

  private constructor(parts: {
    database: TestDatabase;
    server: VaultServer;
    rootKey: RootKeyConfig;
    ownRootKeys: OwnRootKeysConfig | undefined;
    fileKey: Buffer | undefined;
    limits: LimitsConfig;
    outbound: OutboundConfig;
    lines: string[];
  }) {
    this.database = parts.database;
    this.server = parts.server;
    this.fileKey = parts.fileKey;
    this.#rootKey = parts.rootKey;
    this.#ownRootKeys = parts.ownRootKeys;
    this.limits = parts.limits;
    this.outbound = parts.outbound;
    this.logLines = parts.lines;
  }

  /** The configuration for a command on the same vault. */
  get config(): VaultConfig {
    const { url } = this.database;
    return {
      database: {
        url,
        ownerUrl: url,
        connectionsMax: 4,
        timeoutSeconds: databaseTimeoutSeconds,
        requiresStandby: false,
      },
      rootKeys: toRootKeys(this.#rootKey, this.#ownRootKeys),
      cell: undefined,
      logLevel: 'silent',
    };
  }

  /** Starts a second server on the same database, as behind a load balancer. A test may give it other limits. */
  async startAnother(limits: Partial<LimitsConfig> = {}): Promise<VaultServer> {
    const parts = {
      url: this.database.url,
      rootKey: this.#rootKey,
      ownRootKeys: this.#ownRootKeys,
      limits: { ...this.limits, ...limits },
      outbound: this.outbound,
    };
    const server = await startServer(parts, this.logLines);
    this.#others.push(server);
    return server;
  }

  async makeTenant(type: 'test' | 'production' = 'test', ownRootKey?: string): Promise<TestTenant> {
    const token = permissionsOf('private');
    const applications: FirstApplication[] = [
      { name: 'private', type: 'private', permissions: token, rules: [] },
      {
        name: 'reveal',
        type: 'private',
        permissions: [],
        rules: [{ description: '', priority: 1, container: '/', transform: 'reveal', permissions: token }],
      },
      { name: 'public', type: 'public', permissions: ['token:create'], rules: [] },
      { name: 'management', type: 'management', permissions: permissionsOf('management'), rules: [] },
    ];
    const tenant = { name: 'Test', type, ownerEmail: null, applications, ownRootKey };
    const made = await this.server.core.tenantMaker.make(tenant);
    const [privateKey = '', reveal = '', publicKey = '', management = ''] = made.keys;
    return { id: made.tenantId, keys: { private: privateKey, reveal, public: publicKey, management } };
  }

  async request(method: string, path: string, request: TestRequest = {}): Promise<TestResponse> {
    const hasBody = request.body !== undefined || request.rawBody !== undefined;
    const { status, headers, text } = await send(`${request.url ?? this.server.url}${path}`, {
      method,
      headers: {
        ...(request.key === undefined ? {} : { 'bt-api-key': request.key }),
        ...(hasBody ? { 'content-type': 'application/json' } : {}),
        ...request.headers,
      },
      ...(hasBody ? { body: request.rawBody ?? JSON.stringify(request.body) } : {}),
    });
    const isJson = /[/+]json/.test(headers.get('content-type') ?? '');
    return {
      status,
      headers,
      text,
      body: isJson && text !== '' ? JSON.parse(text) : undefined,
    };
  }

  /** Returns a tenant's audit records as stored, oldest first. */
  async auditRecords(tenantId: string): Promise<Record<string, unknown>[]> {
    const { rows } = await this.database.owner.query(
      'select * from audit_records where tenant_id = $1 order by created_at, id',
      [tenantId],
    );
    return rows as Record<string, unknown>[];
  }

  async stop(): Promise<void> {
    for (const server of [...this.#others, this.server]) await server.stop();
    await this.database.drop();
  }
}

/** The part of a server's configuration that has nothing optional, no delay when it stops, and the usual time limit. */
export const plainServing = {
  drain: { delaySeconds: 0, timeoutSeconds: 20 },
  requestTimeoutSeconds: 10,
  elements: undefined,
  openid: undefined,
  mailFrom: undefined,
  servesReference: true,
  alerts: defaultThresholds,
  documentationUrl: undefined,
  traces: undefined,
} satisfies Partial<ServerConfig>;

const highTable = withLimits(Object.fromEntries(rateLimitScopes.map((scope) => [scope, 1_000_000])));
const highLimits: LimitsConfig = {
  table: highTable,
  ownTable: highTable,
  countsRequests: true,
  containerSets: { tenantMax: 100_000, publicDailyMax: 1_000 },
  redisUrl: undefined,
  trustedProxies: [],
  ownNetworks: [],
};

/** The default outbound configuration. Nothing listens at the resolver, so no test queries the real DNS. */
const closedOutbound: OutboundConfig = {
  authorities: undefined,
  clientCertificates: [],
  privateRanges: [],
  hosts: [],
  ports: [],
  resolvers: ['127.0.0.1:9'],
  requiresDestinationList: false,
  callsPerTenantMax: 100,
  limits: outboundLimits,
};

/** Returns a hasher like the vault's with a low cost. The real cost has its own test. */
export function cheapHasher(): PasswordHasher {
  return new PasswordHasher(2 ** 10);
}

function startServer(
  parts: {
    url: string;
    rootKey: RootKeyConfig;
    ownRootKeys?: OwnRootKeysConfig | undefined;
    limits: LimitsConfig;
    outbound: OutboundConfig;
    drain?: DrainConfig | undefined;
    clock?: Clock | undefined;
    elements?: TestElements | undefined;
    traces?: TraceConfig | undefined;
    mailFrom?: ServerConfig['mailFrom'];
    cell?: string | undefined;
    timeoutSeconds?: number | undefined;
    requestTimeoutSeconds?: number | undefined;
    requiresStandby?: boolean | undefined;
  },
  lines: string[],
): Promise<VaultServer> {
  const {
    url,
    rootKey,
    ownRootKeys,
    clock = () => 0,
    elements,
    timeoutSeconds = databaseTimeoutSeconds,
    requestTimeoutSeconds = databaseTimeoutSeconds,
    requiresStandby = false,
    drain = plainServing.drain,
    traces,
    cell,
    ...rest
  } = parts;
  return VaultServer.start(
    {
      ...plainServing,
      ...rest,
      drain,
      traces,
      cell,
      requestTimeoutSeconds,
      database: { url, ownerUrl: url, connectionsMax: 8, timeoutSeconds, requiresStandby },
      rootKeys: toRootKeys(rootKey, ownRootKeys),
      listen: { publicUrl: 'http://localhost', host: '127.0.0.1', port: 0, adminHost: '127.0.0.1', adminPort: 0 },
      elements: elements?.config,
      logLevel: 'info',
    },
    collectingLogger(lines),
    {
      clock,
      passwordHasher: cheapHasher(),
      ...(elements === undefined ? {} : { elementsFolder: elements.folder }),
    },
  );
}

function toRootKeys(primary: RootKeyConfig, own: OwnRootKeysConfig | undefined): VaultConfig['rootKeys'] {
  return { primary, others: [], ...(own === undefined ? {} : { own }) };
}

/** Collects log lines, so that a test can search them for text that they must not contain. */
function collectingLogger(lines: string[]): Logger {
  const keep = (message: string, fields?: LogFields) => void lines.push(JSON.stringify({ message, ...fields }));
  return { info: keep, warn: keep, error: keep };
}
