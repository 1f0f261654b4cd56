import type { Identity } from '../identity/caller.ts';
import { type Transform, transforms } from './access-rule.ts';

/** The least transform whose views show fingerprints; a tenant decides it. */
export type FingerprintVisibility = Extract<Transform, 'mask' | 'reveal'>;

type Viewer = Pick<Identity, 'applicationType' | 'session'>;

/**
 * The least transform under which this caller is shown fingerprints; undefined if no view shows them to it.
 *
 * A fingerprint tells whether two tokens have the same content. To somebody who can create tokens it is therefore a test
 * of a guess, and a masked card number leaves a thousand guesses. Public and session keys are in the hands of anybody.
 */
export function leastFingerprintTransform(caller: Viewer, visibility: FingerprintVisibility): Transform | undefined {
  return caller.applicationType === 'private' && caller.session === undefined ? visibility : undefined;
}

export function isFingerprintShown(caller: Viewer, visibility: FingerprintVisibility, transform: Transform): boolean {
  const least = leastFingerprintTransform(caller, visibility);
  return least !== undefined && transforms.indexOf(transform) >= transforms.indexOf(least);
}
