import { KeyServiceError, type KeyServiceTrouble } from '../key-service.ts';

/** Thrown if Vault or OpenBao refuses a request. */
export class TransitRefusal extends KeyServiceError {
  readonly status: number;
  readonly reasons: readonly string[];

  constructor(operation: string, status: number, reasons: readonly string[]) {
    const [trouble, advice] = judge(operation, status, reasons);
    super(`Transit refused ${operation} (status ${status}). ${advice}`, undefined, trouble);
    this.status = status;
    this.reasons = reasons;
  }
}

type Judgement = readonly [KeyServiceTrouble, string];

const retiredVersion: Judgement = [
  'disabled',
  'Set min_decryption_version and min_encryption_version of the key back to 1; if versions were trimmed, restore the key from a backup.',
];

/** Errors whose text says more than the status. */
const byReason: readonly (readonly [string, Judgement])[] = [
  ['encryption key not found', ['gone', 'Create the key, or correct its name.']],
  ['soft-deleted', ['disabled', 'Restore the key.']],
  ['too old', retiredVersion],
  ['no such key version', retiredVersion],
];

function judge(operation: string, status: number, reasons: readonly string[]): Judgement {
  if (operation === 'sign-in' && status < 500 && status !== 429) {
    return ['denied', 'Check the role, its policy, the mount of the sign-in method and its credentials.'];
  }
  for (const [text, judgement] of byReason) {
    if (reasons.some((reason) => reason.includes(text))) return judgement;
  }
  switch (status) {
    case 400:
      return ['unusable', 'Use a key of type aes256-gcm96 that is not derived.'];
    case 403:
      return [
        'denied',
        'Renew or correct the token, and give its policy the update capability on encrypt, decrypt and hmac for the key.',
      ];
    case 404:
      return ['gone', 'Correct the mount or the namespace.'];
    case 429:
      return ['throttled', 'This is temporary; if it recurs, raise the rate limit quota.'];
    case 503:
      return ['unreachable', 'Unseal the server, or wait until its maintenance is over.'];
    default:
      return ['unreachable', 'Check the health of the server.'];
  }
}
