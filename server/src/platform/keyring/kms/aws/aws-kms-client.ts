import { Readable } from 'node:stream';
import type * as Sdk from '@aws-sdk/client-kms';
import type { Sensitive } from '../../../../core/identity/sensitive.ts';
import { limitedBody } from '../../../outbound/limited-body.ts';
import { trustUsualAuthoritiesAnd } from '../../../outbound/usual-authorities.ts';
import { attemptTimeoutMs, connectionsMax, importOptional, withinCallTime } from '../key-service.ts';
import { toAwsKmsError } from './aws-kms-error.ts';

/** A key in AWS KMS and how to reach it. */
export interface AwsKmsOptions {
  /** The id of the key, its ARN, or an alias. */
  readonly key: string;
  readonly region: string;
  /** An address other than the public endpoint of the region. */
  readonly endpoint?: string | undefined;
  readonly usesFips?: boolean;
  /** A profile of the shared configuration files, instead of the default one. */
  readonly profile?: string | undefined;
  /** The access key. If there is none, the SDK finds credentials as in every other program. */
  readonly accessKey?: AwsAccessKey | undefined;
  /** A further certificate authority as PEM, for an endpoint whose certificate is not from a public authority. */
  readonly authority?: string | undefined;
}

export interface AwsAccessKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: Sensitive<string>;
  readonly sessionToken?: Sensitive<string> | undefined;
}

interface KeyInput {
  readonly KeyId: string;
  readonly EncryptionContext: Record<string, string>;
}

/** The two calls of AWS KMS that the vault uses, through the SDK of AWS. */
export class AwsKmsClient {
  readonly #sdk: typeof Sdk;
  readonly #client: Sdk.KMSClient;

  static async create(options: AwsKmsOptions): Promise<AwsKmsClient> {
    const sdk = await importOptional('AWS KMS', '@aws-sdk/client-kms', () => import('@aws-sdk/client-kms'));
    return new AwsKmsClient(sdk, options);
  }

  private constructor(sdk: typeof Sdk, options: AwsKmsOptions) {
    const { region, endpoint, usesFips = false, profile, accessKey, authority } = options;
    this.#sdk = sdk;
    this.#client = new sdk.KMSClient({
      region,
      maxAttempts: 3,
      ...(endpoint === undefined ? {} : { endpoint }),
      // Without the setting, the SDK also reads the variable and the profile that it knows for this.
      ...(usesFips ? { useFipsEndpoint: true } : {}),
      ...(profile === undefined ? {} : { profile }),
      ...(accessKey === undefined ? {} : { credentials: toCredentials(accessKey) }),
      requestHandler: {
        connectionTimeout: attemptTimeoutMs,
        requestTimeout: attemptTimeoutMs,
        throwOnRequestTimeout: true,
        httpsAgent: {
          keepAlive: true,
          maxSockets: connectionsMax,
          ...(authority === undefined ? {} : { secureContext: trustUsualAuthoritiesAnd(authority) }),
        },
      },
    });
    limitResponses(this.#client.config.requestHandler);
  }

  encrypt(input: KeyInput & { readonly Plaintext: Uint8Array }): Promise<Sdk.EncryptResponse> {
    return this.#call('Encrypt', (abortSignal) =>
      this.#client.send(new this.#sdk.EncryptCommand(input), { abortSignal }),
    );
  }

  decrypt(input: KeyInput & { readonly CiphertextBlob: Uint8Array }): Promise<Sdk.DecryptResponse> {
    return this.#call('Decrypt', (abortSignal) =>
      this.#client.send(new this.#sdk.DecryptCommand(input), { abortSignal }),
    );
  }

  close(): void {
    this.#client.destroy();
  }

  async #call<T>(operation: string, send: (signal: AbortSignal) => Promise<T>): Promise<T> {
    try {
      return await withinCallTime('AWS KMS', send);
    } catch (error) {
      throw toAwsKmsError(operation, error);
    }
  }
}

function toCredentials({ accessKeyId, secretAccessKey, sessionToken }: AwsAccessKey) {
  return {
    accessKeyId,
    secretAccessKey: secretAccessKey.reveal(),
    ...(sessionToken === undefined ? {} : { sessionToken: sessionToken.reveal() }),
  };
}

/**
 * Limits the size of responses, also of those of services that issue credentials. The SDK has no limit of its own, so an
 * endpoint that never ends would fill the memory.
 */
function limitResponses(handler: Sdk.KMSClient['config']['requestHandler']): void {
  const send = handler.handle.bind(handler);
  handler.handle = async (request, options) => {
    const result = await send(request, options);
    const body: unknown = result.response.body;
    if (body instanceof Readable) result.response.body = limitedBody(body);
    return result;
  };
}
