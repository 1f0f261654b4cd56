import { createHash, createHmac, randomBytes } from 'node:crypto';
import { decryptAsService, encryptAsService, type EndpointAnswer, KeyServiceEndpoint } from './key-service-endpoint.ts';
import type { TestCertificate } from './test-authority.ts';
import { headersOf, type SeenRequest } from './tls-destination.ts';

export interface KnownCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

type Input = Readonly<Record<string, unknown>>;
const region = 'eu-central-1';
/** The maximum accepted clock skew of a caller. */
const skewMaxMs = 5 * 60_000;

/**
 * An imitation of AWS KMS, written from its documentation. It supports Encrypt and Decrypt, verifies signatures over
 * the received bytes, returns ciphertexts that name their key, and uses the documented error names.
 */
export class AwsKmsEndpoint {
  readonly keyArn: string = newArn();
  readonly otherArn: string = newArn();
  readonly credentials: KnownCredentials[] = [];
  /** Maps an alias to a key. Tests may point an alias at another key. */
  readonly aliases = new Map<string, string>();
  /** The error returned for every correctly signed call, if set. */
  refusal: { readonly status: number; readonly type: string } | undefined;
  readonly #keys = new Map<string, Buffer>();
  #endpoint: KeyServiceEndpoint | undefined;

  static async start(certificate: TestCertificate): Promise<AwsKmsEndpoint> {
    const kms = new AwsKmsEndpoint();
    kms.#endpoint = await KeyServiceEndpoint.start(certificate, (request) => kms.#answer(request));
    return kms;
  }

  private constructor() {
    for (const arn of [this.keyArn, this.otherArn]) this.#keys.set(arn, randomBytes(32));
    this.aliases.set('alias/strongroom', this.keyArn);
  }

  get service(): KeyServiceEndpoint {
    if (this.#endpoint === undefined) throw new Error('The endpoint has not started.');
    return this.#endpoint;
  }

  get lastInput(): Input {
    return JSON.parse(this.service.destination.last.body.toString('utf8')) as Input;
  }

  #answer(request: SeenRequest): EndpointAnswer {
    const problem = signatureProblem(request, this.credentials);
    if (problem !== undefined) return refuse(400, problem);
    if (this.refusal !== undefined) return refuse(this.refusal.status, this.refusal.type);
    const input = JSON.parse(request.body.toString('utf8')) as Input;
    const keyArn = this.#resolve(String(input['KeyId']));
    const key = this.#keys.get(keyArn);
    if (key === undefined) return refuse(400, 'NotFoundException');
    switch (headersOf(request)['x-amz-target']?.join() ?? '') {
      case 'TrentService.Encrypt':
        return this.#encrypt(input, { keyArn, key });
      case 'TrentService.Decrypt':
        return this.#decrypt(input, { keyArn, key });
      default:
        return refuse(400, 'UnknownOperationException');
    }
  }

  #resolve(name: string): string {
    const arn = this.aliases.get(name) ?? name;
    return arn.startsWith('arn:') ? arn : arnOf(arn);
  }

  #encrypt(input: Input, { keyArn, key }: { keyArn: string; key: Buffer }): EndpointAnswer {
    const plaintext = Buffer.from(String(input['Plaintext']), 'base64');
    const blob = Buffer.concat([Buffer.from(keyArn), encryptAsService(key, plaintext, contextBytes(input))]);
    return {
      status: 200,
      body: { CiphertextBlob: blob.toString('base64'), EncryptionAlgorithm: 'SYMMETRIC_DEFAULT', KeyId: keyArn },
    };
  }

  #decrypt(input: Input, { keyArn, key }: { keyArn: string; key: Buffer }): EndpointAnswer {
    const blob = Buffer.from(String(input['CiphertextBlob']), 'base64');
    const named = blob.toString('latin1', 0, keyArn.length);
    if (!this.#keys.has(named)) return refuse(400, 'InvalidCiphertextException');
    if (named !== keyArn) return refuse(400, 'IncorrectKeyException');
    try {
      const plaintext = decryptAsService(key, blob.subarray(keyArn.length), contextBytes(input));
      return {
        status: 200,
        body: { EncryptionAlgorithm: 'SYMMETRIC_DEFAULT', KeyId: keyArn, Plaintext: plaintext.toString('base64') },
      };
    } catch {
      return refuse(400, 'InvalidCiphertextException');
    }
  }
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

/** Recomputes the signature from the received bytes, following "Create a signed request" on `docs.aws.amazon.com`. */
function signatureProblem(request: SeenRequest, known: readonly KnownCredentials[]): string | undefined {
  const headers = headersOf(request);
  const parts =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/kms\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
      headers['authorization']?.join() ?? '',
    );
  const [, accessKeyId, day = '', signedRegion = '', signedNames = '', signature] = parts ?? [];
  const credentials = known.find((one) => one.accessKeyId === accessKeyId);
  if (parts === null) return 'IncompleteSignatureException';
  if (credentials === undefined) return 'UnrecognizedClientException';
  if (headers['x-amz-security-token']?.join() !== credentials.sessionToken) return 'UnrecognizedClientException';

  const names = signedNames.split(';');
  const mustBeSigned = Object.keys(headers).filter(
    (name) => name === 'host' || name === 'content-type' || name.startsWith('x-amz-'),
  );
  if (mustBeSigned.some((name) => !names.includes(name))) return 'InvalidSignatureException';
  const time = headers['x-amz-date']?.join() ?? '';
  const sentAt = Date.parse(time.replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5'));
  if (Number.isNaN(sentAt) || !time.startsWith(day) || Math.abs(Date.now() - sentAt) > skewMaxMs)
    return 'InvalidSignatureException';
  if (signedRegion !== region) return 'InvalidSignatureException';

  const [method, path] = request.head.split(' ');
  let canonical = `${method}\n${path}\n\n`;
  for (const name of names) canonical += `${name}:${headers[name]?.join(',')}\n`;
  canonical += `\n${signedNames}\n${createHash('sha256').update(request.body).digest('hex')}`;
  const hash = createHash('sha256').update(canonical, 'utf8').digest('hex');
  const mac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
  const key = mac(mac(mac(mac(`AWS4${credentials.secretAccessKey}`, day), region), 'kms'), 'aws4_request');
  const expected = mac(key, `AWS4-HMAC-SHA256\n${time}\n${day}/${region}/kms/aws4_request\n${hash}`).toString('hex');
  return signature === expected ? undefined : 'InvalidSignatureException';
}
