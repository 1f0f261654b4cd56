import { randomBytes } from 'node:crypto';
import { Sensitive } from '../../../src/core/identity/sensitive.ts';
import type { AwsAccessKey, AwsKmsOptions } from '../../../src/platform/keyring/kms/aws/aws-kms-client.ts';
import { AwsKmsRootKey } from '../../../src/platform/keyring/kms/aws/aws-kms-root-key.ts';
import { TestAuthority } from '../test-authority.ts';
import { headersOf, type SeenRequest } from '../tls-destination.ts';
import { type KnownCredentials, signatureProblem } from './aws-signature-check.ts';
import { decryptAsService, encryptAsService, type EndpointAnswer, KeyServiceEndpoint } from './key-service-endpoint.ts';
import type { TestedKeyService } from './tested-key-service.ts';

type Input = Readonly<Record<string, unknown>>;
const region = 'eu-central-1';

interface AwsKey {
  /** The key material of each rotation. */
  readonly materials: Buffer[];
  isDisabled: boolean;
}

/**
 * An imitation of AWS KMS, written from its documentation. It supports Encrypt and Decrypt, verifies signatures over
 * the received bytes, returns ciphertexts that name their key, and uses the documented error names. The SDK of AWS talks
 * to it like to the real service.
 */
export class AwsKmsEndpoint implements TestedKeyService {
  readonly keyArn: string = newArn();
  readonly otherArn: string = newArn();
  readonly own = { accessKeyId: 'AKIAEXAMPLEEXAMPLE', secretAccessKey: randomBytes(30).toString('base64') };
  readonly credentials: KnownCredentials[] = [this.own];
  /** Maps an alias to a key. Tests may point an alias at another key. */
  readonly aliases = new Map<string, string>([['alias/strongroom', this.keyArn]]);
  /** The error returned for every correctly signed call, if set. */
  refusal: { readonly status: number; readonly type: string } | undefined;
  /** How far the clock of the service is ahead. */
  clockAheadMs = 0;
  readonly #keys = new Map<string, AwsKey>();
  readonly #endpoint: KeyServiceEndpoint;
  readonly #authority: TestAuthority;

  static async start(): Promise<AwsKmsEndpoint> {
    const authority = await TestAuthority.create();
    const started: { kms?: AwsKmsEndpoint } = {};
    const endpoint = await KeyServiceEndpoint.start(
      await authority.issue(['localhost']),
      (request) => started.kms?.answer(request) ?? { status: 503, body: '' },
    );
    started.kms = new AwsKmsEndpoint(endpoint, authority);
    return started.kms;
  }

  private constructor(endpoint: KeyServiceEndpoint, authority: TestAuthority) {
    this.#endpoint = endpoint;
    this.#authority = authority;
    this.#reset();
  }

  get service(): KeyServiceEndpoint {
    return this.#endpoint;
  }

  get authority(): string {
    return this.#authority.certificate;
  }

  get lastInput(): Input {
    return JSON.parse(this.service.destination.last.body.toString('utf8')) as Input;
  }

  /** The options of a client with an access key of its own. */
  get options(): AwsKmsOptions & { readonly accessKey: AwsAccessKey } {
    const { accessKeyId, secretAccessKey } = this.own;
    return {
      key: 'alias/strongroom',
      region,
      endpoint: this.service.url,
      authority: this.authority,
      accessKey: { accessKeyId, secretAccessKey: new Sensitive(secretAccessKey) },
    };
  }

  get secrets(): readonly string[] {
    return [this.own.secretAccessKey, 'AWS4-HMAC', 'a session token'];
  }

  open(changed: Partial<AwsKmsOptions> = {}): Promise<AwsKmsRootKey> {
    return AwsKmsRootKey.open({ ...this.options, ...changed });
  }

  openOther(): Promise<AwsKmsRootKey> {
    return this.open({ key: this.otherArn });
  }

  readonly troubles = {
    disabled: () => {
      for (const key of this.#keys.values()) key.isDisabled = true;
    },
    denied: () => this.#refuse('AccessDeniedException'),
    gone: () => this.#refuse('NotFoundException'),
    throttled: () => this.#refuse('ThrottlingException'),
    slow: () => {
      this.service.mood = 'is-silent';
    },
    unreachable: () => {
      this.service.mood = 'hangs-up';
    },
  };

  recover(): void {
    this.refusal = undefined;
    this.service.mood = undefined;
    this.clockAheadMs = 0;
    for (const key of this.#keys.values()) key.isDisabled = false;
  }

  rotate(): void {
    this.#keys.get(this.keyArn)?.materials.push(randomBytes(32));
  }

  async stop(): Promise<void> {
    await this.service.stop();
    await this.#authority.remove();
  }

  answer(request: SeenRequest): EndpointAnswer {
    const now = Date.now() + this.clockAheadMs;
    const date = new Date(now).toUTCString();
    const problem = signatureProblem(request, { known: this.credentials, region, now });
    const answer = problem === undefined ? this.#serve(request) : refuse(400, problem);
    return { ...answer, headers: { date } };
  }

  #serve(request: SeenRequest): EndpointAnswer {
    if (this.refusal !== undefined) return refuse(this.refusal.status, this.refusal.type);
    const input = JSON.parse(request.body.toString('utf8')) as Input;
    const keyArn = this.#resolve(String(input['KeyId']));
    const key = this.#keys.get(keyArn);
    if (key === undefined) return refuse(400, 'NotFoundException');
    if (key.isDisabled) return refuse(400, 'DisabledException');
    switch (headersOf(request)['x-amz-target']?.join() ?? '') {
      case 'TrentService.Encrypt':
        return encrypt(input, keyArn, key);
      case 'TrentService.Decrypt':
        return this.#decrypt(input, keyArn, key);
      default:
        return refuse(400, 'UnknownOperationException');
    }
  }

  #resolve(name: string): string {
    const arn = this.aliases.get(name) ?? name;
    return arn.startsWith('arn:') ? arn : arnOf(arn);
  }

  #decrypt(input: Input, keyArn: string, { materials }: AwsKey): EndpointAnswer {
    const blob = Buffer.from(String(input['CiphertextBlob']), 'base64');
    const named = blob.toString('latin1', 0, keyArn.length);
    const material = materials[blob[keyArn.length] ?? -1];
    if (!this.#keys.has(named)) return refuse(400, 'InvalidCiphertextException');
    if (named !== keyArn) return refuse(400, 'IncorrectKeyException');
    if (material === undefined) return refuse(400, 'InvalidCiphertextException');
    try {
      const plaintext = decryptAsService(material, blob.subarray(keyArn.length + 1), contextBytes(input));
      return {
        status: 200,
        body: { EncryptionAlgorithm: 'SYMMETRIC_DEFAULT', KeyId: keyArn, Plaintext: plaintext.toString('base64') },
      };
    } catch {
      return refuse(400, 'InvalidCiphertextException');
    }
  }

  #refuse(type: string): void {
    this.refusal = { status: 400, type };
  }

  #reset(): void {
    for (const arn of [this.keyArn, this.otherArn]) {
      this.#keys.set(arn, { materials: [randomBytes(32)], isDisabled: false });
    }
  }
}

function encrypt(input: Input, keyArn: string, { materials }: AwsKey): EndpointAnswer {
  const newest = materials.length - 1;
  const plaintext = Buffer.from(String(input['Plaintext']), 'base64');
  const sealed = encryptAsService(materials[newest] ?? Buffer.alloc(0), plaintext, contextBytes(input));
  const blob = Buffer.concat([Buffer.from(keyArn), Buffer.of(newest), sealed]);
  return {
    status: 200,
    body: { CiphertextBlob: blob.toString('base64'), EncryptionAlgorithm: 'SYMMETRIC_DEFAULT', KeyId: keyArn },
  };
}

function newArn(): string {
  return arnOf(crypto.randomUUID());
}

function arnOf(keyId: string): string {
  return `arn:aws:kms:${region}:111122223333:key/${keyId}`;
}

/** Returns an error in the format of KMS. The message repeats request data, as some real KMS messages do. */
function refuse(status: number, type: string): EndpointAnswer {
  return { status, body: { __type: type, message: 'It was refused. x-amz-security-token: a session token' } };
}

function contextBytes(input: Input): Buffer {
  const context = (input['EncryptionContext'] ?? {}) as Readonly<Record<string, string>>;
  const pairs = Object.keys(context)
    .sort()
    .map((name) => [name, context[name]]);
  return Buffer.from(JSON.stringify(pairs), 'utf8');
}
