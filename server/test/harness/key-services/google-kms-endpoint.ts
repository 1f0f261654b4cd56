import { createVerify, generateKeyPairSync, randomBytes } from 'node:crypto';
import { Sensitive } from '../../../src/core/identity/sensitive.ts';
import type { GoogleKmsOptions } from '../../../src/platform/keyring/kms/google/google-kms-client.ts';
import { GoogleKmsRootKey } from '../../../src/platform/keyring/kms/google/google-kms-root-key.ts';
import { headersOf, type SeenRequest } from '../tls-destination.ts';
import { decryptAsService, encryptAsService, type EndpointAnswer } from './key-service-endpoint.ts';
import { type CloudEndpoint, startCloudEndpoint } from './routed-agent.ts';
import type { TestedKeyService } from './tested-key-service.ts';

type Input = Readonly<Record<string, unknown>>;
interface GoogleKey {
  /** The material of each version. */
  readonly versions: Buffer[];
}

const ring = 'projects/payments/locations/europe-west3/keyRings/vault/cryptoKeys';
const account = 'strongroom@payments.iam.gserviceaccount.com';
const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const accountKey = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

/**
 * An imitation of Google Cloud KMS, written from its REST reference. It supports encrypt and decrypt, verifies the
 * tokens that a service account signs, and uses the documented status codes. The SDK of Google talks to it like to the
 * real service.
 */
export class GoogleKmsEndpoint implements TestedKeyService {
  readonly key = `${ring}/strongroom`;
  /** Tokens that were issued by a metadata server or for a workload identity. */
  readonly accessTokens = new Set<string>();
  /** The status returned for every call with valid credentials, if set. */
  refusal: { readonly code: number; readonly status: string; readonly message: string } | undefined;
  readonly #keys = new Map<string, GoogleKey>();
  #cloud: CloudEndpoint | undefined;

  static async start(): Promise<GoogleKmsEndpoint> {
    const endpoint = new GoogleKmsEndpoint();
    endpoint.#cloud = await startCloudEndpoint(['cloudkms.googleapis.com', 'sts.googleapis.com'], (request) =>
      endpoint.answer(request),
    );
    return endpoint;
  }

  private constructor() {
    for (const name of [this.key, `${ring}/other`]) this.#keys.set(name, { versions: [randomBytes(32)] });
  }

  get cloud(): CloudEndpoint {
    if (this.#cloud === undefined) throw new Error('The endpoint has not started.');
    return this.#cloud;
  }

  get options(): GoogleKmsOptions {
    const file = { type: 'service_account', project_id: 'payments', client_email: account, private_key: accountKey };
    return { key: this.key, credentials: new Sensitive(JSON.stringify(file)), agent: this.cloud.agent };
  }

  get secrets(): readonly string[] {
    return [accountKey.split('\n')[1] ?? '', 'Bearer '];
  }

  open(changed: Partial<GoogleKmsOptions> = {}): Promise<GoogleKmsRootKey> {
    return GoogleKmsRootKey.open({ ...this.options, ...changed });
  }

  openOther(): Promise<GoogleKmsRootKey> {
    return this.open({ key: `${ring}/other` });
  }

  readonly troubles = {
    disabled: () => this.#refuse(400, 'FAILED_PRECONDITION', 'is not enabled, current state is: DISABLED.'),
    denied: () =>
      this.#refuse(403, 'PERMISSION_DENIED', "Permission 'cloudkms.cryptoKeyVersions.useToDecrypt' denied."),
    gone: () => this.#refuse(404, 'NOT_FOUND', 'not found.'),
    throttled: () =>
      this.#refuse(429, 'RESOURCE_EXHAUSTED', "Quota exceeded for quota metric 'Cryptographic requests'."),
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
    this.#keys.get(this.key)?.versions.push(randomBytes(32));
  }

  stop(): Promise<void> {
    return this.cloud.stop();
  }

  answer(request: SeenRequest): EndpointAnswer {
    const [method = '', target = ''] = request.head.split(' ');
    const [, name = '', operation = ''] = /^\/v1\/(.+):(\w+)(?:\?|$)/.exec(target) ?? [];
    if (method !== 'POST') return refuse(404, 'NOT_FOUND', 'Not found.');
    if (!this.#isAuthentic(request))
      return refuse(401, 'UNAUTHENTICATED', 'Request had invalid authentication credentials.');
    if (this.refusal !== undefined) return refuse(this.refusal.code, this.refusal.status, this.refusal.message);
    const key = this.#keys.get(name);
    if (key === undefined) return refuse(404, 'NOT_FOUND', `CryptoKey ${name} not found.`);
    const input = JSON.parse(request.body.toString('utf8')) as Input;
    if (operation === 'encrypt') return encrypt(input, name, key);
    return operation === 'decrypt' ? decrypt(input, key) : refuse(404, 'NOT_FOUND', 'Not found.');
  }

  #isAuthentic(request: SeenRequest): boolean {
    const [, token = ''] = /^Bearer (\S+)$/.exec(headersOf(request)['authorization']?.join() ?? '') ?? [];
    return this.accessTokens.has(token) || isSignedByAccount(token);
  }

  #refuse(code: number, status: string, message: string): void {
    this.refusal = { code, status, message: `${message} Request: Bearer a token` };
  }
}

/** Verifies the token that a service account signs for itself, as "Using OAuth 2.0: JWT without OAuth" describes it. */
function isSignedByAccount(token: string): boolean {
  const [header = '', claims = '', signature = ''] = token.split('.');
  const verifier = createVerify('RSA-SHA256').update(`${header}.${claims}`);
  if (signature === '' || !verifier.verify(publicKey, signature, 'base64url')) return false;
  const { iss, sub, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString('utf8')) as Input;
  return iss === account && sub === account && Number(exp) > Date.now() / 1_000;
}

function encrypt(input: Input, name: string, { versions }: GoogleKey): EndpointAnswer {
  const newest = versions.length;
  const plaintext = Buffer.from(String(input['plaintext']), 'base64');
  const sealed = encryptAsService(versions[newest - 1] ?? Buffer.alloc(0), plaintext, associatedData(input));
  const ciphertext = Buffer.concat([Buffer.of(newest), sealed]).toString('base64');
  return {
    status: 200,
    body: { name: `${name}/cryptoKeyVersions/${newest}`, ciphertext, protectionLevel: 'SOFTWARE' },
  };
}

function decrypt(input: Input, { versions }: GoogleKey): EndpointAnswer {
  const ciphertext = Buffer.from(String(input['ciphertext']), 'base64');
  const version = versions[(ciphertext[0] ?? 0) - 1];
  try {
    if (version === undefined) throw new Error('no such version');
    const plaintext = decryptAsService(version, ciphertext.subarray(1), associatedData(input));
    return { status: 200, body: { plaintext: plaintext.toString('base64'), usedPrimary: true } };
  } catch {
    const message = "Decryption failed: verify that 'name' refers to the correct CryptoKey.";
    return refuse(400, 'INVALID_ARGUMENT', message);
  }
}

function refuse(code: number, status: string, message: string): EndpointAnswer {
  return { status: code, body: { error: { code, message, status } } };
}

function associatedData(input: Input): Buffer {
  const { additionalAuthenticatedData: text } = input;
  return Buffer.from(typeof text === 'string' ? text : '', 'base64');
}
