import { permissionsOf } from '../../src/core/access/permission.ts';
import type { FirstApplication } from '../../src/features/tenants/index.ts';
import { VaultServer } from '../../src/app/serve/vault-server.ts';
import type { DrainConfig, LimitsConfig, ServerConfig, VaultConfig } from '../../src/platform/config/config.ts';
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

export interface TestAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; undefined when it is empty. */
  readonly body: unknown;
}

export interface TestRequest {
  readonly key?: string;
  readonly body?: unknown;
  /** Sent as it is, instead of `body`. */
  readonly rawBody?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  /** Another server of the same vault. */
  readonly url?: string;
}

/** A server in this process on a database of its own, spoken to over real HTTP. */
export class TestVault {
  readonly database: TestDatabase;
  readonly server: VaultServer;
  readonly logLines: string[] = [];
  readonly limits: LimitsConfig;
  readonly outbound: OutboundConfig;
  readonly #rootKey: Buffer;
  readonly #others: VaultServer[] = [];

  /** Its limits are so high that no test meets them by accident, and nothing outside can be called; a test may bring its own. */
  static async start(
    rootKey = parseRootKey(generateRootKey()) ?? Buffer.alloc(32),
    own: {
      readonly limits?: Partial<LimitsConfig>;
      readonly outbound?: Partial<OutboundConfig>;
      readonly database?: TestDatabase;
      /** What statements may take; longer than any does by default. */
      readonly databaseTimeoutSeconds?: number;
      /** What requests may take; as long by default. */
      readonly requestTimeoutSeconds?: number;
      readonly requiresStandby?: boolean;
      readonly drain?: DrainConfig;
      /** What searches of the log are timed by; by default no time passes, however slow the machine is. */
      readonly clock?: Clock;
      /** Card fields, and where their build is. */
      readonly elements?: TestElements;
      /** Where traces are sent; nowhere by default. */
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

  /** For a command on the same vault. */
  get config(): VaultConfig {
    const { url } = this.database;
    return {
      database: { url, ownerUrl: url, connectionsMax: 4, timeoutSeconds: databaseTimeoutSeconds },
      rootKeys: { primary: { kind: 'file', key: this.#rootKey }, others: [] },
      logLevel: 'silent',
    };
  }

  /** A second server on the same database, as behind a load balancer; a test may give it other limits. */
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

  async request(method: string, path: string, request: TestRequest = {}): Promise<TestAnswer> {
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

  /** The audit records of a tenant as they are stored, oldest first. */
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

/** As an operator gets it who has decided nothing; nobody listens at the resolver, so that no test asks the real DNS. */
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

/** Hashes as a vault does, at a cost that attackers do not have to be put off by; the real cost has its own test. */
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

/** Keeps what would be logged, so that a test can look for what must not be there. */
function collectingLogger(lines: string[]): Logger {
  const keep = (message: string, fields?: LogFields) => void lines.push(JSON.stringify({ message, ...fields }));
  return { info: keep, warn: keep, error: keep };
}
