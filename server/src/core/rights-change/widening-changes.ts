import { findRightsChanges, type Rights, type RightsChange, toChangeLine } from './rights-difference.ts';
import { widensPlaintext } from './widens-plaintext.ts';

/**
 * Returns the lines of a change that can widen access to plaintext, the widest first: rights without a container, then
 * added rules from the shortest container or condition to the longest, then destinations, then removed rules that hid
 * plaintext. Each line is judged on its own, so the list may include a line that widens nothing, but it misses none.
 * The author of the rights chooses neither the order nor which lines come first.
 */
export function listWideningChanges(before: Rights | undefined, after: Rights | undefined): string[] {
  if (after === undefined) return [];
  return findRightsChanges(before, after)
    .filter((one) => canWiden(one, before, after))
    .toSorted((a, b) => rankOf(a) - rankOf(b) || placeLengthOf(a) - placeLengthOf(b))
    .map(toChangeLine);
}

function canWiden({ right, change }: RightsChange, before: Rights | undefined, after: Rights): boolean {
  const isAdded = change === 'added';
  switch (right.kind) {
    case 'permission':
      return isAdded && givesPlaintext(right.gives, after);
    case 'rule':
      return isAdded ? givesPlaintext(right.gives, after) : !isRevealing(right.gives);
    case 'grant limit':
      return isAdded ? before?.grantLimit !== undefined && before.grantLimit !== null : true;
    case 'destination':
      return isAdded && before?.allowedDestinations !== undefined && before.allowedDestinations !== null;
    case 'limit of destinations':
      return !isAdded;
    case 'expiry':
      return isLater(before?.expiresAt, after.expiresAt);
    case 'origin':
    case 'limit of origins':
      return false;
  }
}

function givesPlaintext(given: Partial<Rights> | undefined, { type = 'private' }: Rights): boolean {
  const nothing = { permissions: [], rules: [], grantLimit: null, expiresAt: null, allowedDestinations: null };
  const { permissions = [], rules = [] } = given ?? {};
  return widensPlaintext(undefined, { ...nothing, type, permissions, rules });
}

function isRevealing(given: Partial<Rights> | undefined): boolean {
  return given?.rules?.every(({ transform }) => transform === 'reveal') === true;
}

function isLater(before: Date | null | undefined, after: Date | null | undefined): boolean {
  if (before === undefined || before === null) return false;
  return after === undefined || after === null || after > before;
}

/**
 * Returns the length of the container and the condition values of a rule, as a measure of how narrow it is. Permissions
 * do not count, so that adding some cannot move a rule further down the list.
 */
function placeLengthOf({ right: { gives } }: RightsChange): number {
  const { container = '', conditions = [] } = gives?.rules?.[0] ?? {};
  return container.length + conditions.reduce((sum, { value }) => sum + value.length, 0);
}

function rankOf({ right: { kind }, change }: RightsChange): number {
  if (kind === 'destination') return 2;
  if (kind !== 'rule') return 0;
  return change === 'added' ? 1 : 3;
}
