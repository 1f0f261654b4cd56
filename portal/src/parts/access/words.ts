import type { Schemas } from '../../api/client';
import type { SightKind } from '../show/sight';
import type { Transform } from './rights';

export type Decision = Schemas['AccessDecision'];
export type Sight = NonNullable<Decision['sees']>['data'];

export const transformWords: Readonly<Record<Transform, string>> = {
  redact: 'No data',
  mask: 'Masked data',
  reveal: 'Plaintext',
};

export const sightWords: Readonly<Record<Sight, string>> = {
  nothing: 'No data',
  masked: 'Masked data',
  plaintext: 'Plaintext',
};

/** The mark of what a decision would show. */
export const sightKinds: Readonly<Record<Sight, SightKind>> = {
  nothing: 'none',
  masked: 'masked',
  plaintext: 'plaintext',
};

const reasons: Readonly<Record<string, string>> = {
  'permission-not-granted': 'Neither a permission nor a rule grants this anywhere.',
  'no-rule-covers-target': 'Rules grant this elsewhere, but none covers this place.',
  'authorizer-lacks-permission': 'The application that authorized the session does not have this permission.',
  'authorizer-does-not-cover-target': 'The application that authorized the session has no rule for this place.',
  'use-needs-reveal': 'The rule that decides does not reveal, and using a value means plaintext.',
};

/** Returns the reason for a denial as a sentence. */
export function toReason(reason: string | undefined): string {
  return reasons[reason ?? ''] ?? reason ?? '';
}

const groups = [
  ['token:', 'Tokens'],
  ['application:', 'Applications'],
  ['session:', 'Sessions'],
  ['keys:', 'Client keys'],
  ['proxy:', 'Stored proxies'],
  ['webhook:', 'Webhooks'],
  ['retention:', 'Retention'],
  ['tenant:member:', 'Members'],
  ['tenant:invitation:', 'Invitations'],
  ['tenant:', 'Tenant'],
] as const;

/** Returns the group that a permission is listed under. */
export function groupOf(permission: string): string {
  return groups.find(([prefix]) => permission.startsWith(prefix))?.[1] ?? 'Reports and log';
}

/** Shortens a list of permissions, for example to `token: read, create · application: read`. */
export function shortenPermissions(permissions: readonly string[]): string {
  const byNoun = Map.groupBy(permissions, (permission) => permission.slice(0, permission.lastIndexOf(':')));
  return [...byNoun]
    .map(([noun, named]) => `${noun}: ${named.map((name) => name.slice(noun.length + 1)).join(', ')}`)
    .join(' · ');
}
