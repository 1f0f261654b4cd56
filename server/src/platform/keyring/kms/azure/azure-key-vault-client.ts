import { createPublicKey, type KeyObject } from 'node:crypto';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { ClientSecretCredential, TokenCredential } from '@azure/identity';
import type { CryptographyClient, KeyClient, KeyClientOptions, KeyVaultKey } from '@azure/keyvault-keys';
import type { Sensitive } from '../../../../core/identity/sensitive.ts';
import { createKitAgent, type KitAgent } from '../../../outbound/kit-agent.ts';
import { limitedBody } from '../../../outbound/limited-body.ts';
import {
  attemptTimeoutMs,
  bytesOf,
  connectionsMax,
  importOptional,
  KeyServiceError,
  withinCallTime,
} from '../key-service.ts';
import { toAzureKeyVaultError } from './azure-key-vault-error.ts';

/** A key in Azure Key Vault and how to reach it. */
export interface AzureKeyVaultOptions {
  /** The address of the key vault or managed HSM. */
  readonly url: string;
  /** The name of the key. */
  readonly key: string;
  /** The client id of a managed identity or a workload identity, if the machine has several. */
  readonly clientId?: string | undefined;
  /** An application with a client secret. Without it, the vault finds a workload identity or a managed identity. */
  readonly application?: AzureApplication | undefined;
  /** How to connect, for tests. */
  readonly agent?: KitAgent | undefined;
}

export interface AzureApplication {
  readonly tenantId: string;
  readonly clientId: string;
  readonly clientSecret: Sensitive<string>;
}

/** A version of a key: its public half, and calls that use the private one. */
export interface KeyVersion {
  readonly version: string;
  readonly publicKey: KeyObject;
  readonly calls: CryptographyClient;
}

type Policies = NonNullable<NonNullable<ConstructorParameters<typeof ClientSecretCredential>[3]>['additionalPolicies']>;
type Kits = Awaited<ReturnType<typeof loadKits>>;
/** The maximum number of versions. A response could go on forever. */
const versionsMax = 1_000;

/** Wraps the operations of Azure Key Vault that root keys need, using the Azure SDK. */
export class AzureKeyVaultClient {
  readonly #kits: Kits;
  readonly #options: AzureKeyVaultOptions;
  readonly #agent: KitAgent;
  readonly #shared: KeyClientOptions;
  readonly #credential: TokenCredential;
  readonly #keys: KeyClient;

  static async create(options: AzureKeyVaultOptions): Promise<AzureKeyVaultClient> {
    return new AzureKeyVaultClient(await loadKits(), options);
  }

  private constructor(kits: Kits, options: AzureKeyVaultOptions) {
    this.#kits = kits;
    this.#options = options;
    this.#agent = options.agent ?? createKitAgent(connectionsMax);
    const shared = {
      additionalPolicies: limitsOf(this.#agent),
      retryOptions: { maxRetries: 2, retryDelayInMs: 100, maxRetryDelayInMs: 500 },
    };
    this.#shared = shared;
    this.#credential = toCredential(kits.identity, options, shared);
    this.#keys = new kits.keys.KeyClient(options.url, this.#credential, shared);
  }

  /** Returns a version of the key, by default the current one. */
  async version(version?: string): Promise<KeyVersion> {
    const key = await this.call('get', (abortSignal) =>
      this.#keys.getKey(this.#options.key, { abortSignal, ...(version === undefined ? {} : { version }) }),
    );
    const calls = new this.#kits.keys.CryptographyClient(key, this.#credential, this.#shared);
    return { version: key.properties.version ?? '', publicKey: toPublicKey(key), calls };
  }

  /** Returns the name of the first version of the key, which stays the same when the key gets new versions. */
  firstVersion(): Promise<string> {
    return this.call('list', async (abortSignal) => {
      let first: { version: string; createdOn: number } | undefined;
      let count = 0;
      for await (const { version, createdOn } of this.#keys.listPropertiesOfKeyVersions(this.#options.key, {
        abortSignal,
      })) {
        count += 1;
        if (count > versionsMax) throw new KeyServiceError('The key has too many versions.', undefined, 'unusable');
        const found = { version: version ?? '', createdOn: createdOn?.getTime() ?? 0 };
        if (first === undefined || found.createdOn < first.createdOn) first = found;
      }
      if (first !== undefined) return first.version;
      throw new KeyServiceError('Azure Key Vault has no such key. Correct its name.', undefined, 'gone');
    });
  }

  async call<T>(operation: string, send: (signal: AbortSignal) => Promise<T>): Promise<T> {
    try {
      return await withinCallTime('Azure Key Vault', send);
    } catch (error) {
      throw toAzureKeyVaultError(operation, error);
    }
  }

  close(): void {
    this.#agent.destroy();
  }
}

async function loadKits() {
  const service = 'Azure Key Vault';
  return {
    keys: await importOptional(service, '@azure/keyvault-keys', () => import('@azure/keyvault-keys')),
    identity: await importOptional(service, '@azure/identity', () => import('@azure/identity')),
  };
}

/** Credentials as programs in Azure find them, without those of developers, which start other programs. */
function toCredential(
  identity: Kits['identity'],
  { clientId, application }: AzureKeyVaultOptions,
  shared: { readonly additionalPolicies: Policies },
): TokenCredential {
  if (application !== undefined) {
    const { tenantId, clientId: id, clientSecret } = application;
    return new identity.ClientSecretCredential(tenantId, id, clientSecret.reveal(), shared);
  }
  const chosen = { ...shared, ...(clientId === undefined ? {} : { clientId }) };
  return new identity.ChainedTokenCredential(
    ...[
      () => new identity.WorkloadIdentityCredential(chosen),
      () => new identity.EnvironmentCredential(shared),
      () => new identity.ManagedIdentityCredential(chosen),
    ].flatMap((source) => available(identity, source)),
  );
}

/** Leaves out a source that says right away that it is not configured. */
function available(identity: Kits['identity'], source: () => TokenCredential): TokenCredential[] {
  try {
    return [source()];
  } catch (error) {
    if (error instanceof identity.CredentialUnavailableError) return [];
    throw error;
  }
}

/**
 * Limits the connections, the time of an attempt and the size of a response, also of services that issue credentials. The
 * SDK has no limit of its own, so an endpoint that never ends would fill the memory.
 */
function limitsOf(agent: KitAgent): Policies {
  return [
    {
      position: 'perRetry',
      policy: {
        name: 'strongroomLimits',
        async sendRequest(request, next) {
          if (request.url.startsWith('https:')) request.agent = agent;
          request.timeout = attemptTimeoutMs;
          // This value stands for every status.
          request.streamResponseStatusCodes = new Set([Number.POSITIVE_INFINITY]);
          const { readableStreamBody: body, ...response } = await next(request);
          delete request.streamResponseStatusCodes;
          return body instanceof Readable ? { ...response, bodyAsText: await text(limitedBody(body)) } : response;
        },
      },
    },
  ];
}

function toPublicKey({ key }: KeyVaultKey): KeyObject {
  const [n, e] = [bytesOf(key?.n), bytesOf(key?.e)].map((part) => Buffer.from(part ?? []).toString('base64url'));
  if (key?.kty?.startsWith('RSA') === true && n !== undefined && e !== undefined && n.length >= 342) {
    return createPublicKey({ key: { kty: 'RSA', n, e }, format: 'jwk' });
  }
  throw new KeyServiceError(
    'The key in Azure Key Vault is not an RSA key of 2,048 bits or more.',
    undefined,
    'unusable',
  );
}
