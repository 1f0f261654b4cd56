import { type AccessRule, type Grants, leastTransform, mostTransform, type Transform } from './access-rule.ts';
import { isCovered } from './container.ts';
import type { Permission } from './permission.ts';

/**
 * The containers of tokens that lie in a certain container and in another one as well, sorted by their characters. Undefined if
 * there are too many to list: then tokens may lie in any other container too.
 */
export type SharedContainers = readonly string[] | undefined;

/**
 * Of the containers that rights are about, those in which a token of the container may lie too. A rule on a container above needs
 * no second container, unless it holds for nothing below its own.
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
 * The most that the permission shows of a token that lies in the container or below, and in any of the others too. A rule on one
 * of the others counts unless a rule that holds for everything in the container comes first.
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

/** The containers that a rule is about. A rule for ids is about none, and holds in all of them. */
export function placesOf({ container, conditions = [] }: AccessRule): readonly string[] {
  if (container !== undefined) return [container];
  return conditions.filter(({ attribute }) => attribute === 'container').map(({ value }) => value);
}

/** Whether the rule holds for every token in the container and below. */
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

/** Whether one of the sorted containers begins with the path: the first that does not come before the path would. */
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
