import { membersOf } from '../../../../core/objects/members-of.ts';
import { KeyServiceError, type KeyServiceTrouble, textOf } from '../key-service.ts';

/** Thrown if Google Cloud KMS refuses a call or cannot be reached. */
export class GoogleKmsError extends KeyServiceError {
  /** True if the response says explicitly that the key cannot decrypt the ciphertext. */
  readonly isMismatch: boolean;

  constructor(message: string, trouble: KeyServiceTrouble, isMismatch: boolean) {
    super(message, undefined, trouble);
    this.isMismatch = isMismatch;
  }
}

/** What is wrong and what to do, by the status codes of gRPC, which the SDK also uses over HTTP. */
const judgements: Readonly<Record<number, readonly [name: string, KeyServiceTrouble, advice: string]>> = {
  3: ['INVALID_ARGUMENT', 'unusable', 'Use a key with the purpose ENCRYPT_DECRYPT, and check the credentials.'],
  5: ['NOT_FOUND', 'gone', 'There is no such key: correct its resource name.'],
  7: ['PERMISSION_DENIED', 'denied', 'Grant roles/cloudkms.cryptoKeyEncrypterDecrypter on the key.'],
  8: ['RESOURCE_EXHAUSTED', 'throttled', 'This is temporary; if it recurs, raise the request quota.'],
  9: ['FAILED_PRECONDITION', 'disabled', 'Enable the version of the key, or cancel its destruction.'],
  16: ['UNAUTHENTICATED', 'denied', 'Correct the credentials, and check the system clock.'],
};

/** The message of Google Cloud KMS for a ciphertext of another key, or with other associated data. */
const mismatch = /^(\d+ INVALID_ARGUMENT: )?Decryption failed/;

/**
 * Returns an error without the message of the SDK, which can repeat the request. Only its code and status are kept.
 */
export function toGoogleKmsError(operation: string, error: unknown): GoogleKmsError {
  const { code, message, httpStatusCode: status } = membersOf(error);
  const [name, trouble, advice] = (typeof code === 'number' ? judgements[code] : undefined) ?? [];
  if (trouble !== undefined) {
    const isMismatch = code === 3 && mismatch.test(textOf(message) ?? '');
    return new GoogleKmsError(`Google Cloud KMS refused ${operation} (${name}). ${advice}`, trouble, isMismatch);
  }
  if (/default credentials/.test(textOf(message) ?? '')) {
    const text = 'No source of credentials for Google Cloud works. Give this machine a service account.';
    return new GoogleKmsError(text, 'denied', false);
  }
  const shown = typeof status === 'number' ? `status ${status}` : 'no response';
  return new GoogleKmsError(
    `Google Cloud KMS cannot be reached (${shown}). Check the network, and the status of Google Cloud KMS.`,
    'unreachable',
    false,
  );
}
