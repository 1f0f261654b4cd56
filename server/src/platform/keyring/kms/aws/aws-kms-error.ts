import { membersOf } from '../../../../core/objects/members-of.ts';
import { KeyServiceError, type KeyServiceTrouble, textOf } from '../key-service.ts';

/** Thrown if AWS KMS refuses a call or cannot be reached. */
export class AwsKmsError extends KeyServiceError {
  /** The name of the exception, such as `InvalidCiphertextException`. */
  readonly type: string;

  constructor(message: string, trouble: KeyServiceTrouble, type: string) {
    super(message, undefined, trouble);
    this.type = type;
  }
}

const credentials = ['denied', 'Correct the credentials, and check the system clock.'] as const;
const quota = ['throttled', 'This is temporary; if it recurs, raise the request quota.'] as const;
const role = ['denied', 'Check the trust policy of the role and the identity that assumes it.'] as const;

/** What is wrong and what to do, by the name of the exception. */
const judgements: Readonly<Record<string, readonly [KeyServiceTrouble, string]>> = {
  AccessDeniedException: ['denied', 'Allow kms:Encrypt and kms:Decrypt on the key, in its key policy or in IAM.'],
  NotFoundException: ['gone', 'There is no such key: correct the key or the region.'],
  DisabledException: ['disabled', 'Enable the key.'],
  KMSInvalidStateException: ['disabled', 'Cancel the deletion of the key, or import its material again.'],
  InvalidKeyUsageException: ['unusable', 'Use a symmetric key for encryption.'],
  ThrottlingException: quota,
  LimitExceededException: quota,
  UnrecognizedClientException: credentials,
  InvalidSignatureException: credentials,
  IncompleteSignatureException: credentials,
  MissingAuthenticationTokenException: credentials,
  InvalidClientTokenId: credentials,
  ExpiredTokenException: credentials,
  // These come from the services that issue credentials.
  AccessDenied: role,
  InvalidIdentityTokenException: role,
  IDPRejectedClaimException: role,
  UnauthorizedException: ['denied', 'Sign in again: aws sso login.'],
  CredentialsProviderError: [
    'denied',
    'No source of credentials works. Give this machine a role, a profile or an access key.',
  ],
};

/**
 * Returns an error without the message of the SDK, which can repeat headers, including a session token. Only its name
 * and the status are kept.
 */
export function toAwsKmsError(operation: string, error: unknown): AwsKmsError {
  const { name, $metadata } = membersOf(error);
  const type = /^[A-Za-z]{1,64}$/.exec(textOf(name) ?? '')?.[0] ?? '';
  const [trouble, advice] = judgements[type] ?? [];
  const { httpStatusCode: status } = membersOf($metadata);
  if (trouble !== undefined) return new AwsKmsError(`AWS KMS refused ${operation} (${type}). ${advice}`, trouble, type);
  if (typeof status === 'number') {
    const shown = type === '' || type === 'Error' ? `status ${status}` : type;
    const message = `AWS KMS refused ${operation} (${shown}). Check the status of AWS KMS in this region.`;
    return new AwsKmsError(message, status === 429 ? 'throttled' : 'unreachable', type);
  }
  const code = /^[A-Z_]{3,40}$/.exec(textOf(membersOf(error)['code']) ?? '')?.[0] ?? (type || 'no response');
  const message = `AWS KMS cannot be reached (${code}). Check the region, the endpoint, its certificate and the network.`;
  return new AwsKmsError(message, 'unreachable', type);
}
