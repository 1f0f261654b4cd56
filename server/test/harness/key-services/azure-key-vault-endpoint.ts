import { constants, generateKeyPairSync, type KeyObject, privateDecrypt, randomBytes } from 'node:crypto';
import { Sensitive } from '../../../src/core/identity/sensitive.ts';
import type { AzureKeyVaultOptions } from '../../../src/platform/keyring/kms/azure/azure-key-vault-client.ts';
import { AzureKeyVaultRootKey } from '../../../src/platform/keyring/kms/azure/azure-key-vault-root-key.ts';
import { headersOf, type SeenRequest } from '../tls-destination.ts';
import { AzureIdentity } from './azure-identity.ts';
import type { EndpointAnswer } from './key-service-endpoint.ts';
import { signDigestAsPss } from './pss-digest.ts';
import { type CloudEndpoint, startCloudEndpoint } from './routed-agent.ts';
import type { TestedKeyService } from './tested-key-service.ts';

interface Version {
  readonly id: string;
  readonly createdAt: number;
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

const host = 'strongroom.vault.azure.net';

/**
 * An imitation of Azure Key Vault, written from its REST reference. It challenges callers without a token, and supports
 * get, list, sign and unwrapKey of RSA keys. The SDK of Azure talks to it, and to the imitation of Microsoft Entra, like
 * to the real services.
 */
export class AzureKeyVaultEndpoint implements TestedKeyService {
  readonly identity = new AzureIdentity();
  /** The error returned for every call with a valid token, if set. */
  refusal: EndpointAnswer | undefined;
  readonly #keys = new Map<string, Version[]>([
    ['strongroom', [newVersion(0)]],
    ['other', [newVersion(0)]],
  ]);
  #cloud: CloudEndpoint | undefined;

  static async start(): Promise<AzureKeyVaultEndpoint> {
    const endpoint = new AzureKeyVaultEndpoint();
    endpoint.#cloud = await startCloudEndpoint([host, 'login.microsoftonline.com'], (request) =>
      endpoint.answer(request),
    );
    return endpoint;
  }

  private constructor() {}

  get cloud(): CloudEndpoint {
    if (this.#cloud === undefined) throw new Error('The endpoint has not started.');
    return this.#cloud;
  }

  get options(): AzureKeyVaultOptions {
    const { tenantId, clientId, clientSecret } = this.identity;
    const application = { tenantId, clientId, clientSecret: new Sensitive(clientSecret) };
    return { url: `https://${host}`, key: 'strongroom', application, agent: this.cloud.agent };
  }

  get secrets(): readonly string[] {
    return [this.identity.clientSecret, this.identity.accessToken];
  }

  open(changed: Partial<AzureKeyVaultOptions> = {}): Promise<AzureKeyVaultRootKey> {
    return AzureKeyVaultRootKey.open({ ...this.options, ...changed });
  }

  openOther(): Promise<AzureKeyVaultRootKey> {
    return this.open({ key: 'other' });
  }

  readonly troubles = {
    disabled: () => this.#refuse(403, 'Forbidden', 'KeyDisabled'),
    denied: () => this.#refuse(403, 'Forbidden', 'ForbiddenByRbac'),
    gone: () => this.#refuse(404, 'KeyNotFound'),
    throttled: () => this.#refuse(429, 'Throttled'),
    slow: () => {
      this.cloud.service.mood = 'is-silent';
    },
    unreachable: () => {
      this.cloud.service.mood = 'hangs-up';
    },
  };

  recover(): void {
    this.refusal = undefined;
    this.cloud.service.mood = undefined;
  }

  rotate(): void {
    const versions = this.#keys.get('strongroom');
    versions?.push(newVersion(versions.length));
  }

  stop(): Promise<void> {
    return this.cloud.stop();
  }

  answer(request: SeenRequest): EndpointAnswer {
    const headers = headersOf(request);
    const [method = '', target = ''] = request.head.split(' ');
    const path = target.split('?')[0] ?? '';
    if (headers['host']?.join().startsWith('login.') === true) return this.identity.answer(request);
    if (headers['authorization']?.join() !== `Bearer ${this.identity.accessToken}`) {
      const authority = `https://login.microsoftonline.com/${this.identity.tenantId}`;
      const challenge = `Bearer authorization="${authority}", resource="https://vault.azure.net"`;
      return { ...refuse(401, 'Unauthorized'), headers: { 'WWW-Authenticate': challenge } };
    }
    if (this.refusal !== undefined) return this.refusal;
    const [, , name = '', version = '', operation] = path.split('/');
    const versions = this.#keys.get(name);
    if (versions === undefined) return refuse(404, 'KeyNotFound');
    if (method === 'GET' && version === 'versions') return { status: 200, body: { value: versions.map(toItem(name)) } };
    const found = version === '' ? versions.at(-1) : versions.find(({ id }) => id === version);
    if (found === undefined) return refuse(404, 'KeyNotFound');
    if (method === 'GET') return { status: 200, body: toBundle(name, found) };
    return operate(operation, found, request);
  }

  #refuse(status: number, code: string, innererror?: string): void {
    this.refusal = refuse(status, code, innererror);
  }
}

function operate(operation: string | undefined, { id, privateKey }: Version, { body }: SeenRequest): EndpointAnswer {
  const { alg, value } = JSON.parse(body.toString('utf8')) as Record<string, string>;
  const bytes = Buffer.from(value ?? '', 'base64url');
  const respond = (result: Buffer) => ({ status: 200, body: { kid: id, value: result.toString('base64url') } });
  if (operation === 'sign' && alg === 'PS256' && bytes.length === 32)
    return respond(signDigestAsPss(privateKey, bytes));
  if (operation !== 'unwrapkey' || alg !== 'RSA-OAEP-256') return refuse(400, 'BadParameter');
  try {
    const padding = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' };
    return respond(privateDecrypt({ key: privateKey, ...padding }, bytes));
  } catch {
    return refuse(400, 'BadParameter');
  }
}

function newVersion(order: number): Version {
  const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { id: randomBytes(16).toString('hex'), createdAt: 1_790_000_000 + order, ...pair };
}

function toItem(name: string) {
  return ({ id, createdAt }: Version) => ({
    kid: `https://${host}/keys/${name}/${id}`,
    attributes: { enabled: true, created: createdAt, updated: createdAt },
  });
}

function toBundle(name: string, version: Version) {
  const { kid, attributes } = toItem(name)(version);
  const { kty, n, e } = version.publicKey.export({ format: 'jwk' });
  return { key: { kid, kty, n, e, key_ops: ['sign', 'verify', 'wrapKey', 'unwrapKey'] }, attributes };
}

/** Returns an error in the format of Key Vault. The message repeats the request, as some real ones do. */
function refuse(status: number, code: string, innererror?: string): EndpointAnswer {
  const inner = innererror === undefined ? {} : { innererror: { code: innererror } };
  return { status, body: { error: { code, message: 'It was refused.', ...inner } } };
}
