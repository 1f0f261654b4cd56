import { KeyServiceError } from '../kms/key-service.ts';
import { ReplacedOwnRootKey } from '../kms/own-root-key.ts';
import { UnknownOwnRootKey } from '../kms/own-root-keys.ts';
import { RootKeyMismatch } from '../kms/root-key.ts';
import { SealedRecordError } from '../sealing/sealed-record.ts';

/**
 * The reasons why an own root key cannot be used: those of key services, a key that does not unwrap what it wrapped, and
 * two of the settings.
 */
export const ownKeyTroubles = [
  'disabled',
  'denied',
  'gone',
  'unusable',
  'throttled',
  'unreachable',
  'mismatch',
  'not_configured',
  'replaced',
] as const;
export type OwnKeyTrouble = (typeof ownKeyTroubles)[number];

/** Returns the reason in one word. A service that does not respond in time counts as unreachable. */
export function troubleOf(error: unknown): OwnKeyTrouble {
  if (error instanceof KeyServiceError) return error.trouble;
  if (error instanceof UnknownOwnRootKey) return 'not_configured';
  if (error instanceof RootKeyMismatch || error instanceof SealedRecordError) return 'mismatch';
  return error instanceof ReplacedOwnRootKey ? 'replaced' : 'unreachable';
}
