import { permissionsOf } from '../../src/core/access/permission.ts';
import type { FirstApplication } from '../../src/features/tenants/index.ts';
import { VaultServer } from '../../src/app/serve/vault-server.ts';
import type { DrainConfig, ServerConfig, VaultConfig } from '../../src/platform/config/config.ts';
import type { LimitsConfig } from '../../src/platform/config/limits-reading.ts';
import { generateRootKey, parseRootKey } from '../../src/platform/keyring/kms/file-root-key.ts';
import { PasswordHasher } from '../../src/platform/keyring/sign-in/password-hasher.ts';
import { rateLimitScopes, withLimits } from '../../src/platform/rate-limit/rate-limit-table.ts';
import { type OutboundConfig, outboundLimits } from '../../src/platform/outbound/outbound-config.ts';
import type { Logger, LogFields } from '../../src/platform/telemetry/logger.ts';
import type { TraceConfig } from '../../src/platform/traces/trace-config.ts';
import type { Clock } from '../../src/platform/waiting/time-budget.ts';
import { databaseTimeoutSeconds } from './deadline.ts';
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
  readonly #rootKey: Buffer;
  readonly #others: VaultServer[] = [];

  /**
   * Starts a vault. By default its limits are too high to be reached by accident, and it cannot call anything outside.
   */
  static async start(
    rootKey = parseRootKey(generateRootKey()) ?? Buffer.alloc(32),
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
      /** The destination of traces. By default none are sent. */
      readonly traces?: TraceConfig;
    } = {},
  ): Promise<TestVault> {
    const database = own.database ?? (await createTestDatabase());
    const lines: string[] = [];
    const limits = { ...highLimits, ...own.limits };
    const outbound = { ...closedOutbound, ...own.outbound };
    const { drain, clock, elements, traces, requiresStandby } = own;
    const { databaseTimeoutSeconds: timeoutSeconds, requestTimeoutSeconds } = own;
    const more = { drain, clock, elements, traces, timeoutSeconds, requestTimeoutSeconds, requiresStandby };
    const parts = { url: database.url, rootKey, limits, outbound, ...more };
    const server = await startServer(parts, lines);
    return new TestVault({ database, server, rootKey, limits, outbound, lines });
  }

  private constructor(parts: {
    database: TestDatabase;
    server: VaultServer;
    rootKey: Buffer;
    limits: LimitsConfig;
    outbound: OutboundConfig;
    lines: string[];
  }) {
    this.database = parts.database;
    this.server = parts.server;
    this.#rootKey = parts.rootKey;
    this.limits = parts.limits;
    this.outbound = parts.outbound;
    this.logLines = parts.lines;
  }

  /** The configuration for a command on the same vault. */
  get config(): VaultConfig {
    const { url } = this.database;
    return {
      database: { url, ownerUrl: url, connectionsMax: 4, timeoutSeconds: databaseTimeoutSeconds },
      rootKeys: { primary: { kind: 'file', key: this.#rootKey }, others: [] },
      logLevel: 'silent',
    };
  }

  /** Starts a second server on the same database, as behind a load balancer. A test may give it other limits. */
  async startAnother(limits: Partial<LimitsConfig> = {}): Promise<VaultServer> {
    const parts = {
      url: this.database.url,
      rootKey: this.#rootKey,
      limits: { ...this.limits, ...limits },
      outbound: this.outbound,
    };
    const server = await startServer(parts, this.logLines);
    this.#others.push(server);
    return server;
  }

  async makeTenant(type: 'test' | 'production' = 'test'): Promise<TestTenant> {
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
    const made = await this.server.core.tenantMaker.make({ name: 'Test', type, ownerEmail: null, applications });
    const [privateKey = '', reveal = '', publicKey = '', management = ''] = made.keys;
    return { id: made.tenantId, keys: { private: privateKey, reveal, public: publicKey, management } };
  }

  async request(method: string, path: string, request: TestRequest = {}): Promise<TestResponse> {
    const hasBody = request.body !== undefined || request.rawBody !== undefined;
    const response = await fetch(`${request.url ?? this.server.url}${path}`, {
      method,
      redirect: 'manual',
      headers: {
        ...(request.key === undefined ? {} : { 'bt-api-key': request.key }),
        ...(hasBody ? { 'content-type': 'application/json' } : {}),
        ...request.headers,
      },
      ...(hasBody ? { body: request.rawBody ?? JSON.stringify(request.body) } : {}),
    });
    const text = await response.text();
    const isJson = /[/+]json/.test(response.headers.get('content-type') ?? '');
    return {
      status: response.status,
      headers: response.headers,
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

const highLimits: LimitsConfig = {
  table: withLimits(Object.fromEntries(rateLimitScopes.map((scope) => [scope, 1_000_000]))),
  countsRequests: true,
  containerSets: { tenantMax: 100_000, publicDailyMax: 1_000 },
  redisUrl: undefined,
  trustedProxies: [],
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
    rootKey: Buffer;
    limits: LimitsConfig;
    outbound: OutboundConfig;
    drain?: DrainConfig | undefined;
    clock?: Clock | undefined;
    elements?: TestElements | undefined;
    traces?: TraceConfig | undefined;
    timeoutSeconds?: number | undefined;
    requestTimeoutSeconds?: number | undefined;
    requiresStandby?: boolean | undefined;
  },
  lines: string[],
): Promise<VaultServer> {
  const {
    url,
    rootKey,
    clock = () => 0,
    elements,
    timeoutSeconds = databaseTimeoutSeconds,
    requiresStandby,
    ...rest
  } = parts;
  return VaultServer.start(
    {
      ...rest,
      requestTimeoutSeconds: rest.requestTimeoutSeconds ?? databaseTimeoutSeconds,
      database: { url, ownerUrl: url, connectionsMax: 8, timeoutSeconds, requiresStandby },
      rootKeys: { primary: { kind: 'file', key: rootKey }, others: [] },
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

/** Collects log lines, so that a test can search them for text that they must not contain. */
function collectingLogger(lines: string[]): Logger {
  const keep = (message: string, fields?: LogFields) => void lines.push(JSON.stringify({ message, ...fields }));
  return { info: keep, warn: keep, error: keep };
}
