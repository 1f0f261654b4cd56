import { OperatorService } from '../../outbound/operator-service.ts';
import { type AwsCredentialsConfig, type AwsCredentialSource, toCredentialSource } from './aws-credentials.ts';
import { signAwsRequest } from './aws-signature.ts';
import { askKeyService, fieldsOf, KeyServiceError, textOf } from './key-service.ts';

/** A key in AWS KMS and how to reach it. */
export interface AwsKmsOptions {
  /** The id of the key, its ARN, or an alias. */
  readonly key: string;
  readonly region: string;
  readonly endpoint: string;
  readonly credentials: AwsCredentialsConfig;
  /** The certificate authority as PEM, for an endpoint whose certificate is not from a public authority. */
  readonly authority?: string | undefined;
}

/** Advice for each KMS exception. */
const credentialAdvice = 'Correct the credentials, and check the system clock.';
const advice: Readonly<Record<string, string>> = {
  AccessDeniedException: 'Allow kms:Encrypt and kms:Decrypt on the key, in its key policy or in IAM.',
  NotFoundException: 'There is no such key: correct the key or the region.',
  DisabledException: 'Enable the key.',
  KMSInvalidStateException: 'Cancel the deletion of the key, or import its material again.',
  InvalidKeyUsageException: 'Use a symmetric key for encryption.',
  ThrottlingException: 'This is temporary; if it recurs, raise the request quota.',
  LimitExceededException: 'This is temporary; if it recurs, raise the request quota.',
  UnrecognizedClientException: credentialAdvice,
  InvalidSignatureException: credentialAdvice,
  IncompleteSignatureException: credentialAdvice,
  MissingAuthenticationTokenException: credentialAdvice,
  InvalidClientTokenId: credentialAdvice,
  ExpiredTokenException: credentialAdvice,
};

export class AwsKmsRefusal extends KeyServiceError {
  /** The name of the exception, such as `InvalidCiphertextException`. */
  readonly type: string;

  constructor(operation: string, status: number, type: string) {
    const name = type === '' ? `status ${status}` : type;
    super(`AWS KMS refused ${operation} (${name}). ${advice[type] ?? 'Check the status of AWS KMS in this region.'}`);
    this.type = type;
  }
}

/** The two AWS KMS calls that the vault uses, with signed requests. */
export class AwsKmsClient {
  readonly #service: OperatorService;
  readonly #host: string;
  readonly #region: string;
  readonly #credentials: AwsCredentialSource;

  constructor({ endpoint, authority, region, credentials }: AwsKmsOptions) {
    const { origin, host } = new URL(endpoint);
    this.#service = new OperatorService(origin, { authority });
    this.#host = host;
    this.#region = region;
    this.#credentials = toCredentialSource(credentials);
  }

  /** Calls KMS and returns a function that reads the text fields of the response. */
  async call(operation: 'Encrypt' | 'Decrypt', input: object): Promise<(field: string) => string | undefined> {
    const body = JSON.stringify(input);
    const headers = {
      host: this.#host,
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': `TrentService.${operation}`,
    };
    const scope = { region: this.#region, service: 'kms', now: new Date() };
    const signed = signAwsRequest({ headers, body }, scope, await this.#credentials.current());
    const answer = await askKeyService(this.#service, { name: 'AWS KMS', path: '/', headers: signed, body });
    const fields = fieldsOf(answer.body);
    // The error message of KMS is omitted, because it can repeat headers, including a session token.
    if (answer.status !== 200) throw new AwsKmsRefusal(operation, answer.status, exceptionOf(fields['__type']));
    return (field) => textOf(fields[field]);
  }

  close(): void {
    this.#service.close();
    this.#credentials.close();
  }
}

/** Returns only the name of the exception. Some responses prefix it with a namespace. */
function exceptionOf(type: unknown): string {
  return /(?:^|#)([A-Za-z]{1,64})$/.exec(textOf(type) ?? '')?.[1] ?? '';
}
