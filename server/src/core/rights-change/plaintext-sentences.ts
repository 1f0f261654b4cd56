import type { AccessRule } from '../access/access-rule.ts';
import { rootContainer } from '../access/container.ts';
import { grantsAnywhere, isPlainPermission, toRules } from '../access/decide-access.ts';
import { type GrantLimit, handsOutRights } from '../access/grant-limit.ts';
import type { Permission } from '../access/permission.ts';
import type { PlaintextRights } from './widens-plaintext.ts';

/**
 * Longer lists of destinations get a sentence of their own. An application can have a hundred rules and a hundred
 * destinations, and repeating all destinations in the sentence of each rule produced 2.5 MB.
 */
const destinationsInSentenceMax = 3;

/**
 * Returns one sentence for each thing that somebody with these rights could do with plaintext. The sentences are meant
 * for the people who approve the rights.
 */
export function toPlaintextSentences(rights: PlaintextRights): string[] {
  const rules = toRules(rights.permissions, rights.rules);
  const sentences = [
    ...rules.flatMap((rule) => rule.permissions.flatMap((permission) => toSentence(rights, rule, permission) ?? [])),
    ...(handsOutRights(rights) ? [toHandingOut(rights.grantLimit)] : []),
    ...(grantsAnywhere(rules, 'token:use') ? listManyDestinations(rights) : []),
    ...(makesMembers(rules) ? ['It could invite people and change the roles of members.'] : []),
  ];
  const { expiresAt } = rights;
  const isBound = sentences.length > 0 && expiresAt !== null;
  return [...new Set(sentences), ...(isBound ? [`All of it ends at ${expiresAt.toISOString()}.`] : [])];
}

function toSentence(rights: PlaintextRights, rule: AccessRule, permission: Permission): string | undefined {
  const place = rule.container === rootContainer ? 'all tokens' : `tokens in ${rule.container ?? 'some containers'}`;
  const isRevealed = rule.transform === 'reveal';
  if (permission === 'token:read') return isRevealed ? `It could read the plaintext of ${place}.` : undefined;
  if (permission === 'token:search')
    return isRevealed ? `It could search the plaintext of ${place} and read what it finds.` : undefined;
  if (permission === 'token:use')
    return isRevealed ? `It could send the plaintext of ${place} to ${toDestinations(rights)}.` : undefined;
  if (permission !== 'token:update') return undefined;
  const isAuthor = isRevealed || (rights.type === 'private' && isPlainPermission(rule));
  return isAuthor
    ? `It could read the plaintext of ${place} by updating them, and move them to other containers.`
    : `It could move ${place} to containers where others see plaintext.`;
}

function toDestinations({ allowedDestinations }: PlaintextRights): string {
  if (allowedDestinations === null) return 'any destination';
  if (areMany(allowedDestinations)) return `${allowedDestinations.length} destinations`;
  return allowedDestinations.length === 0 ? 'no destination' : allowedDestinations.join(', ');
}

function listManyDestinations({ allowedDestinations }: PlaintextRights): string[] {
  if (allowedDestinations === null || !areMany(allowedDestinations)) return [];
  return [`Its destinations are ${allowedDestinations.join(', ')}.`];
}

function areMany(destinations: readonly string[]): boolean {
  return destinations.length > destinationsInSentenceMax;
}

function toHandingOut(limit: GrantLimit | null): string {
  if (limit === null) return 'It could create applications and give them any right.';
  const { containers, transform, permissions } = limit;
  return `It could create applications and give them ${permissions.join(', ')} on ${containers.join(', ')} with at most ${transform}.`;
}

function makesMembers(rules: readonly AccessRule[]): boolean {
  return grantsAnywhere(rules, 'tenant:invitation:create') || grantsAnywhere(rules, 'tenant:member:update');
}
