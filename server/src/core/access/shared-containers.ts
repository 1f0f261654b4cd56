import { type AccessRule, type Grants, leastTransform, mostTransform, type Transform } from './access-rule.ts';
import { isCovered } from './container.ts';
import type { Permission } from './permission.ts';

/**
 * The containers of all tokens that are in a given container and also in another one, sorted by character code.
 * Undefined if there are too many to list; tokens may then be in any other container too.
 */
export type SharedContainers = readonly string[] | undefined;

/**
 * Returns the containers named in the rights that a token of the container may also be in. Containers above it are
 * omitted, because a rule on them needs no second container, unless the rule covers only that exact container.
 */
export function findNamedBeside(
  { rules, limit = [] }: Grants,
  grantable: readonly string[],
  { container, shared }: { readonly container: string; readonly shared: SharedContainers },
): ReadonlySet<string> {
  const isBeside = (path: string) => !isCovered(container, path) && hasBelow(shared, path);
  const exact = [...rules, ...limit].flatMap(({ conditions = [] }) =>
    conditions
      .filter(({ attribute, operator }) => attribute === 'container' && operator === 'equals')
      .map(({ value }) => value),
  );
  return new Set([
    ...[...rules, ...limit].flatMap(placesOf).filter(isBeside),
    ...grantable.filter(isBeside),
    ...exact.filter((path) => hasBelow(shared, path)),
  ]);
}

/**
 * Returns the most that the permission shows of a token that is in the container or below, and also in any of the
 * others. A rule on one of the others counts unless it comes after a rule that applies to everything in the container.
 */
export function mostShownBeside(
  { rules, limit }: Grants,
  permission: Permission,
  { container, others }: { readonly container: string; readonly others: ReadonlySet<string> },
): Transform | undefined {
  const mostOf = (some: readonly AccessRule[]) => {
    const fitting = some.filter(
      (rule) => rule.permissions.includes(permission) && placesOf(rule).every((path) => mayHold(path)),
    );
    const deciding = fitting.findIndex((rule) => isCertain(rule, container));
    return mostTransform(fitting.slice(0, deciding === -1 ? undefined : deciding + 1).map((rule) => rule.transform));
  };
  const mayHold = (path: string) => isCovered(container, path) || isCovered(path, container) || others.has(path);
  const own = mostOf(rules);
  const most = limit === undefined ? 'reveal' : mostOf(limit);
  if (own === undefined || most === undefined) return undefined;
  const transform = leastTransform(own, most);
  return permission === 'token:use' && transform !== 'reveal' ? undefined : transform;
}

/** Returns the containers that a rule names. A rule on ids names none and applies in all of them. */
export function placesOf({ container, conditions = [] }: AccessRule): readonly string[] {
  if (container !== undefined) return [container];
  return conditions.filter(({ attribute }) => attribute === 'container').map(({ value }) => value);
}

/** Returns true if the rule applies to every token in the container and below. */
function isCertain({ container: own, conditions = [] }: AccessRule, container: string): boolean {
  if (own !== undefined) return isCovered(container, own);
  return (
    conditions.length > 0 &&
    conditions.every(
      ({ attribute, operator, value }) =>
        attribute === 'container' && operator === 'starts_with' && isCovered(container, value),
    )
  );
}

/**
 * Returns true if one of the sorted containers begins with the path. Such a container would be the first one that does
 * not sort before the path.
 */
function hasBelow(sorted: SharedContainers, path: string): boolean {
  if (sorted === undefined) return true;
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((sorted[middle] ?? '') < path) from = middle + 1;
    else to = middle;
  }
  return sorted[from]?.startsWith(path) === true;
}
