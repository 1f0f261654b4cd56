import type { KeyCaller, MemberCaller } from '../identity/caller.ts';
import { type Transform, transforms } from '../access/access-rule.ts';

/** The least transform whose views show fingerprints. This is a tenant setting. */
export type FingerprintVisibility = Extract<Transform, 'mask' | 'reveal'>;

type Viewer = Pick<KeyCaller, 'applicationType' | 'session'> | MemberCaller;

/**
 * Returns the least transform under which this caller sees fingerprints; undefined if it never does.
 *
 * A fingerprint tells whether two tokens have the same content. A caller who can create tokens can therefore use it to
 * test a guess, and a masked card number leaves only a thousand guesses. Anyone can have a public or session key, so
 * those never see fingerprints. A member of the tenant cannot create tokens in the portal and sees what a private key
 * would. A member who also has a key that creates tokens, even a public one, can test guesses unless fingerprints need
 * `reveal`.
 */
export function leastFingerprintTransform(caller: Viewer, visibility: FingerprintVisibility): Transform | undefined {
  const isTrusted = 'userId' in caller || (caller.applicationType === 'private' && caller.session === undefined);
  return isTrusted ? visibility : undefined;
}

export function isFingerprintShown(caller: Viewer, visibility: FingerprintVisibility, transform: Transform): boolean {
  const least = leastFingerprintTransform(caller, visibility);
  return least !== undefined && transforms.indexOf(transform) >= transforms.indexOf(least);
}
