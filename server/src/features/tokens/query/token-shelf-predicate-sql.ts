import { isAboutContainers } from '../../../core/search/first-rule.ts';
import type { ContainerQuery, FirstRuleQuery, SearchQuery } from '../../../core/search/search-query.ts';
import type { Parameters } from '../../../platform/database/statement-parameters.ts';
import { toFirstRulePredicate } from './first-rule-sql.ts';

/** Rows of `token_sets`: with one value in a column or, with an end, all from it up to that in the order of their bytes. */
export interface SetRange {
  readonly column: 'container' | 'shelf';
  readonly from: string;
  readonly to?: string;
}

/** A container query as a condition on a shelf: containers stand in it one after the other, a blank before each. */
export function toContainerPredicate({ path, isSubtree }: ContainerQuery, parameters: Parameters): string {
  return isSubtree
    ? `strpos(t.shelf, ${parameters.add(` ${path}`)}) > 0`
    : `strpos(t.shelf || ' ', ${parameters.add(` ${path} `)}) > 0`;
}

/** A condition on a shelf that holds where its tokens can match the query, or else where they are certain to. */
export function toShelfPredicate(query: SearchQuery, parameters: Parameters, isPossibleEnough: boolean): string {
  switch (query.kind) {
    case 'container':
      return toContainerPredicate(query, parameters);
    case 'term':
      if (query.field === 'type') return `split_part(t.shelf, ' ', 1) = ${parameters.add(query.value)}`;
      return String(isPossibleEnough);
    case 'not':
      // What may match in part leaves room for its opposite.
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

/** Where every set is that can match; undefined where that may be anywhere. */
export function findSetRanges(query: SearchQuery): readonly SetRange[] | undefined {
  if (query.kind === 'container') return [containerRange(query)];
  if (query.kind === 'term' && query.field === 'type') {
    // The type stands before the first blank, and `!` is the character after that.
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

/** Returns one range for each matching rule: that of its longest path. Undefined if a rule names no container. */
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

/** Everything that begins with the path comes before the path with the next character at its end. Paths are ASCII. */
function containerRange({ path, isSubtree }: ContainerQuery): SetRange {
  const column = 'container';
  const next = String.fromCharCode(path.charCodeAt(path.length - 1) + 1);
  return isSubtree ? { column, from: path, to: `${path.slice(0, -1)}${next}` } : { column, from: path };
}

/** A guess: few sets have a long path, many have a type. */
function narrownessOf(ranges: readonly SetRange[]): number {
  return Math.min(...ranges.map(({ column, from }) => (column === 'container' ? from.length : 0)));
}

/** Whether type and containers alone tell if a token matches. */
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

/** Whether the type alone does. */
export function isDecidedByType(query: SearchQuery): boolean {
  if (query.kind === 'and' || query.kind === 'or') return query.operands.every(isDecidedByType);
  if (query.kind === 'not') return isDecidedByType(query.operand);
  return query.kind === 'term' && query.field === 'type';
}
