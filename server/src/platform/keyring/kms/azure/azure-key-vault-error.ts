import { membersOf } from '../../../../core/objects/members-of.ts';
import { KeyServiceError, type KeyServiceTrouble, textOf } from '../key-service.ts';

/** What is wrong and what to do, by the status of the response. */
const judgements: Readonly<Record<number, readonly [KeyServiceTrouble, string]>> = {
  400: ['unusable', 'Use an RSA key that allows sign, verify, wrapKey and unwrapKey.'],
  401: ['denied', 'Correct the credentials, and check the system clock.'],
  403: ['denied', 'Grant the identity the role of the guide on this key, and check the firewall of the key vault.'],
  404: ['gone', 'There is no such key: correct its name, or recover it.'],
  429: ['throttled', 'This is temporary; if it recurs, move the key to a vault of its own.'],
};

const credentialErrors =
  /^(CredentialUnavailable|Authentication|AggregateAuthentication|AuthenticationRequired|ChainedTokenCredential)\w*Error$/;

/**
 * Returns an error without the message of the SDK, which can repeat the request. Only the status and a short code are
 * kept.
 */
export function toAzureKeyVaultError(operation: string, error: unknown): KeyServiceError {
  if (error instanceof KeyServiceError) return error;
  const { name, statusCode, code, details } = membersOf(error);
  if (credentialErrors.test(textOf(name) ?? '')) {
    const text =
      'No source of credentials for Azure works. Give this machine a managed identity, a workload identity or a client secret.';
    return new KeyServiceError(text, undefined, 'denied');
  }
  const inner = innerCodeOf(details);
  const status = typeof statusCode === 'number' ? `status ${statusCode}` : 'no response';
  const shown = /^[A-Za-z_]{2,40}$/.exec(inner ?? textOf(code) ?? '')?.[0] ?? status;
  if (inner === 'KeyDisabled') return refused(operation, shown, ['disabled', 'Enable the version of the key.']);
  const judgement = typeof statusCode === 'number' ? judgements[statusCode] : undefined;
  if (judgement !== undefined) return refused(operation, shown, judgement);
  return new KeyServiceError(`Azure Key Vault cannot be reached (${shown}). Check its address and the network.`);
}

function refused(operation: string, code: string, [trouble, advice]: readonly [KeyServiceTrouble, string]) {
  return new KeyServiceError(`Azure Key Vault refused ${operation} (${code}). ${advice}`, undefined, trouble);
}

/** Returns the more exact code that some responses contain, such as `KeyDisabled`. */
function innerCodeOf(details: unknown): string | undefined {
  const { innererror, innerError } = membersOf(membersOf(details)['error'] ?? details);
  return textOf(membersOf(innererror ?? innerError)['code']);
}
