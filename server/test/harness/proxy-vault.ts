import { parseAddressRange } from '../../src/core/network/address-range.ts';
import type { TraceConfig } from '../../src/platform/traces/trace-config.ts';
import type { OwnRootKeysConfig } from '../../src/platform/keyring/kms/own-root-keys.ts';
import type { OutboundConfig, OutboundLimits } from '../../src/platform/outbound/outbound-config.ts';
import { outboundLimits } from '../../src/platform/outbound/outbound-config.ts';
import { type Behaviour, TlsDestination } from './tls-destination.ts';
import { TestAuthority, type TestCertificate } from './test-authority.ts';
import { TestResolver } from './test-resolver.ts';
import { type TestResponse, type TestElements, type TestTenant, TestVault } from './test-vault.ts';

/** The default host of destinations in tests. */
export const destinationHost = 'api.provider.example';

export interface ProxyVaultOptions extends Partial<Omit<OutboundConfig, 'limits'>> {
  readonly limits?: Partial<OutboundLimits>;
  /** Further names that the destination's certificate is valid for. */
  readonly names?: readonly string[];
  readonly behaviour?: Behaviour;
  readonly elements?: TestElements;
  readonly traces?: TraceConfig;
  /** The bytes of the root key, for a test that runs commands on the vault. */
  readonly rootKey?: Buffer | undefined;
  /** The root keys of tenants that have their own. */
  readonly ownRootKeys?: OwnRootKeysConfig | undefined;
  /** Starts further destinations, whose ports are then allowed too, and returns settings that need the authority. */
  readonly prepare?: (authority: TestAuthority) => Promise<Partial<OutboundConfig>>;
}

export interface ProxyCall {
  readonly key?: string;
  readonly method?: string;
  readonly url?: string;
  /** The path after `/proxy`. */
  readonly path?: string;
  readonly body?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A vault whose operator has allowed one destination on loopback, with the test's own authority and resolver. */
export class ProxyVault {
  readonly vault: TestVault;
  readonly tenant: TestTenant;
  readonly authority: TestAuthority;
  readonly certificate: TestCertificate;
  readonly resolver: TestResolver;
  readonly destination: TlsDestination;

  static async start({
    limits,
    names = [],
    behaviour,
    elements,
    traces,
    rootKey,
    ownRootKeys,
    prepare,
    ...settings
  }: ProxyVaultOptions = {}): Promise<ProxyVault> {
    const [authority, resolver] = await Promise.all([TestAuthority.create(), TestResolver.start()]);
    const certificate = await authority.issue([destinationHost, ...names]);
    const destination = await TlsDestination.start(certificate, behaviour);
    resolver.set(destinationHost, ['127.0.0.1']);
    const { ports: morePorts = [], ...prepared } = (await prepare?.(authority)) ?? {};
    const vault = await TestVault.start(rootKey, {
      ...(elements === undefined ? {} : { elements }),
      ...(traces === undefined ? {} : { traces }),
      ...(ownRootKeys === undefined ? {} : { ownRootKeys }),
      outbound: {
        authorities: authority.certificate,
        privateRanges: [loopback],
        ports: [destination.port, ...morePorts],
        resolvers: [resolver.address],
        ...prepared,
        ...settings,
        limits: { ...outboundLimits, ...limits },
      },
    });
    const tenant = await vault.makeTenant();
    return new ProxyVault({ vault, tenant, authority, certificate, resolver, destination });
  }

  private constructor(parts: {
    vault: TestVault;
    tenant: TestTenant;
    authority: TestAuthority;
    certificate: TestCertificate;
    resolver: TestResolver;
    destination: TlsDestination;
  }) {
    this.vault = parts.vault;
    this.tenant = parts.tenant;
    this.authority = parts.authority;
    this.certificate = parts.certificate;
    this.resolver = parts.resolver;
    this.destination = parts.destination;
  }

  get url(): string {
    return `https://${destinationHost}:${this.destination.port}`;
  }

  call({ key = this.tenant.keys.private, method, url = this.url, path = '', body, headers }: ProxyCall = {}) {
    return this.vault.request(method ?? (body === undefined ? 'GET' : 'POST'), `/proxy${path}`, {
      key,
      ...(body === undefined ? {} : { rawBody: body }),
      headers: { 'bt-proxy-url': url, ...headers },
    });
  }

  /** Stores a token and returns its id. */
  async store(data: unknown, more: Readonly<Record<string, unknown>> = {}): Promise<string> {
    const answer = await this.vault.request('POST', '/tokens', {
      key: this.tenant.keys.private,
      body: { type: 'token', data, ...more },
    });
    if (answer.status !== 201) throw new Error(`No token was made: ${answer.text}`);
    return (answer.body as { id: string }).id;
  }

  /** Returns the audit records of proxy calls, oldest first. */
  async records(): Promise<Record<string, unknown>[]> {
    return (await this.vault.auditRecords(this.tenant.id)).filter((record) => record['entity_type'] === 'proxy');
  }

  async stop(): Promise<void> {
    await this.vault.stop();
    await Promise.all([this.destination.stop(), this.resolver.stop(), this.authority.remove()]);
  }
}

/** Returns the problem in a response that comes from the proxy itself. */
export function proxyErrorOf({ body }: TestResponse): Record<string, unknown> {
  return (body as { proxy_error?: Record<string, unknown> } | undefined)?.proxy_error ?? {};
}

export const loopback = getRange('127.0.0.0/8');

export function getRange(text: string) {
  const range = parseAddressRange(text);
  if (range === undefined) throw new Error(`${text} is no range.`);
  return range;
}
