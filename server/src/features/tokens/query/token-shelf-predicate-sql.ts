import { isAboutContainers } from '../../../core/search/first-rule.ts';
import type { ContainerQuery, FirstRuleQuery, SearchQuery } from '../../../core/search/search-query.ts';
import type { Parameters } from '../../../platform/database/statement-parameters.ts';
import { toFirstRulePredicate } from './first-rule-sql.ts';

/**
 * A range of rows in `token_sets`: those with one value in a column or, if `to` is set, all from `from` up to `to` in
 * byte order.
 */
export interface SetRange {
  readonly column: 'container' | 'shelf';
  readonly from: string;
  readonly to?: string;
}

/** Returns a container query as a condition on a shelf, which is a list of containers, each preceded by a space. */
export function toContainerPredicate({ path, isSubtree }: ContainerQuery, parameters: Parameters): string {
  return isSubtree
    ? `strpos(t.shelf, ${parameters.add(` ${path}`)}) > 0`
    : `strpos(t.shelf || ' ', ${parameters.add(` ${path} `)}) > 0`;
}

/**
 * Returns a condition on a shelf. It is true if tokens of the shelf can match the query or, if `isPossibleEnough` is
 * false, if all of them are certain to match.
 */
export function toShelfPredicate(query: SearchQuery, parameters: Parameters, isPossibleEnough: boolean): string {
  switch (query.kind) {
    case 'container':
      return toContainerPredicate(query, parameters);
    case 'term':
      if (query.field === 'type') return `split_part(t.shelf, ' ', 1) = ${parameters.add(query.value)}`;
      return String(isPossibleEnough);
    case 'not':
      // A negation is possible unless the operand is certain, and certain unless the operand is possible.
      return `(not ${toShelfPredicate(query.operand, parameters, !isPossibleEnough)})`;
    case 'and':
    case 'or':
      return `(${query.operands
        .map((operand) => toShelfPredicate(operand, parameters, isPossibleEnough))
        .join(` ${query.kind} `)})`;
    case 'first-rule':
      return isAboutContainers(query) ? toFirstRulePredicate(query, parameters) : String(isPossibleEnough);
    case 'data':
    case 'metadata':
    case 'range':
      return String(isPossibleEnough);
  }
}

/** Returns ranges that contain every set that can match, or undefined if such sets can be anywhere. */
export function findSetRanges(query: SearchQuery): readonly SetRange[] | undefined {
  if (query.kind === 'container') return [containerRange(query)];
  if (query.kind === 'term' && query.field === 'type') {
    // The type comes before the first space, and `!` is the character after the space.
    return [{ column: 'shelf', from: `${query.value} `, to: `${query.value}!` }];
  }
  if (query.kind === 'first-rule') return findRuleRanges(query);
  if (query.kind === 'or') {
    const ranges = query.operands.map(findSetRanges);
    return ranges.every((some) => some !== undefined) ? ranges.flat() : undefined;
  }
  if (query.kind === 'and') {
    const ranges = query.operands.map(findSetRanges).filter((some) => some !== undefined);
    return ranges.toSorted((a, b) => narrownessOf(b) - narrownessOf(a))[0];
  }
  return undefined;
}

/**
 * Returns one range for each matching rule, taken from its longest path. Returns undefined if a rule names no
 * container.
 */
function findRuleRanges({ rules }: FirstRuleQuery): readonly SetRange[] | undefined {
  const ranges = rules
    .filter(({ isMatch }) => isMatch)
    .map(({ conditions }) =>
      conditions
        .filter((condition) => condition.kind === 'container')
        .toSorted((a, b) => b.path.length - a.path.length)
        .map(containerRange)
        .at(0),
    );
  return ranges.every((range) => range !== undefined) ? ranges : undefined;
}

/**
 * Returns the range of a container. A path that begins with `path` sorts before `path` with its last character
 * incremented. Paths are ASCII.
 */
function containerRange({ path, isSubtree }: ContainerQuery): SetRange {
  const column = 'container';
  const next = String.fromCharCode(path.charCodeAt(path.length - 1) + 1);
  return isSubtree ? { column, from: path, to: `${path.slice(0, -1)}${next}` } : { column, from: path };
}

/** Estimates how selective the ranges are. Few sets share a long path, but many share a type. */
function narrownessOf(ranges: readonly SetRange[]): number {
  return Math.min(...ranges.map(({ column, from }) => (column === 'container' ? from.length : 0)));
}

/** Returns whether type and containers alone decide if a token matches. */
export function isDecidedByShelf(query: SearchQuery): boolean {
  switch (query.kind) {
    case 'container':
      return true;
    case 'term':
      return query.field === 'type';
    case 'not':
      return isDecidedByShelf(query.operand);
    case 'and':
    case 'or':
      return query.operands.every(isDecidedByShelf);
    case 'first-rule':
      return isAboutContainers(query);
    case 'data':
    case 'metadata':
    case 'range':
      return false;
  }
}

/** Returns whether the type alone decides if a token matches. */
export function isDecidedByType(query: SearchQuery): boolean {
  if (query.kind === 'and' || query.kind === 'or') return query.operands.every(isDecidedByType);
  if (query.kind === 'not') return isDecidedByType(query.operand);
  return query.kind === 'term' && query.field === 'type';
}
