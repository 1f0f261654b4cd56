import type { JsonValue } from '../json/json-value.ts';
import type { EvaluationBudget } from './evaluation-budget.ts';
import { ExpressionError } from './expression-error.ts';
import { tokenLimits } from '../token-limits.ts';
import type { ExpressionTools } from './expression-tools.ts';
import { type BoundFilter, type FilterEffect, type FilterValue, requireRoom } from './filters/filter.ts';
import { FilterArguments } from './filters/filter-arguments.ts';
import type { JsonPathSegment } from './filters/json-path.ts';
import { filterCatalog } from './filters/filter-catalog.ts';
import { type TextCursor, wordStops } from './text-cursor.ts';

export interface AppliedFilter {
  readonly offset: number;
  readonly effect: FilterEffect;
  readonly revealedMax: number;
  /** The path that the filter selects in its input, if it selects by a path. */
  readonly path: readonly JsonPathSegment[] | undefined;
  readonly apply: BoundFilter;
}

export type FilterChain = readonly AppliedFilter[];

/**
 * Reads filters up to and including the closing braces. A comma in place of a pipe is read as a pipe: `{{ data.number,
 * reveal_last: 4 }}` exists in the wild as a mask, and dropping its tail would show the number. For the same reason,
 * anything else out of place is rejected and never skipped.
 */
export function parseFilterChain(cursor: TextCursor): FilterChain {
  const filters: AppliedFilter[] = [];
  for (cursor.skipSpace(); !cursor.accept('}}'); cursor.skipSpace()) {
    if (!cursor.accept('|') && !cursor.accept(',')) throw cursor.failure(cursor.unexpected);
    if (filters.length === tokenLimits.filtersPerExpressionMax) throw cursor.failure('too-many-filters');
    filters.push(parseFilter(cursor));
  }
  requireEncodedBytes(filters);
  return filters;
}

/** Applies the filters to a value. Null stays null because an absent value cannot be masked, cast or aliased. */
export function applyFilters(
  value: JsonValue,
  filters: FilterChain,
  tools: ExpressionTools,
  budget: EvaluationBudget,
): JsonValue {
  let current: FilterValue = value;
  for (const { apply, effect, offset } of filters) {
    if (current === null) return null;
    budget.spendWork(weightOf(current, effect), offset);
    const context = { tools, budget, offset };
    current = apply(current, context);
    if (typeof current === 'string') requireRoom(current.length, context);
  }
  if (current instanceof Uint8Array) throw new TypeError('A filter chain ended in bytes.');
  return current;
}

function parseFilter(cursor: TextCursor): AppliedFilter {
  cursor.skipSpace();
  const offset = cursor.at;
  const name = cursor.readUntil(wordStops);
  if (name === '') throw cursor.failure(cursor.unexpected);
  const filter = filterCatalog.get(name);
  if (filter === undefined) throw new ExpressionError('unknown-filter', offset);

  cursor.skipSpace();
  const texts = cursor.accept(':') ? parseArguments(cursor) : [];
  if (texts.length < filter.argumentsMin || texts.length > filter.argumentsMax) {
    throw new ExpressionError('wrong-argument-count', offset);
  }
  const args = new FilterArguments(texts, offset);
  return {
    offset,
    effect: filter.effect,
    revealedMax: filter.revealedMax?.(args) ?? 0,
    path: filter.pathOf?.(args),
    apply: filter.bind(args),
  };
}

function parseArguments(cursor: TextCursor): (string | null)[] {
  const texts: (string | null)[] = [];
  for (;;) {
    cursor.skipSpace();
    texts.push(parseArgument(cursor));
    cursor.skipSpace();
    // In `…: 4, last4: …` the comma is followed by a filter. It is left for the chain to read as a pipe.
    if (!cursor.isAt(',') || isFilterAfterComma(cursor)) return texts;
    cursor.accept(',');
  }
}

function parseArgument(cursor: TextCursor): string | null {
  for (const quote of ["'", '"']) {
    if (cursor.accept(quote)) return cursor.readQuoted(quote);
  }
  const offset = cursor.at;
  const word = cursor.readUntil(wordStops);
  if (word === '') throw cursor.failure(cursor.unexpected);
  // Liquid would resolve these as paths. Treating them as text would silently put the words `data.name` into a
  // fingerprint.
  if (isScopePath(word)) throw new ExpressionError('path-as-argument', offset);
  return word === 'nil' || word === 'null' ? null : word;
}

function isScopePath(word: string): boolean {
  return ['data', 'metadata'].some(
    (root) => word === root || word.startsWith(`${root}.`) || word.startsWith(`${root}[`),
  );
}

function isFilterAfterComma(cursor: TextCursor): boolean {
  const start = cursor.at;
  cursor.accept(',');
  cursor.skipSpace();
  const word = cursor.readUntil(wordStops);
  cursor.skipSpace();
  const isFilter = word !== '' && cursor.isAt(':');
  cursor.at = start;
  return isFilter;
}

/**
 * Rejects bytes that are not passed to an encoding. Checking this here ensures that an expression never yields bytes.
 */
function requireEncodedBytes(filters: FilterChain): void {
  for (const [index, { effect, offset }] of filters.entries()) {
    const previous = filters[index - 1]?.effect;
    const next = filters[index + 1]?.effect;
    if (effect === 'digest' && next !== 'encode') throw new ExpressionError('bytes-not-encoded', offset);
    if (effect === 'encode' && previous !== 'digest') throw new ExpressionError('bytes-expected', offset);
  }
}

/**
 * Returns the work that a filter is charged for its input. Drawing a random character takes about eight times as long
 * as masking one with `reveal_last` (measured). Filters that traverse a list or an object pay for the values that they
 * visit.
 */
function weightOf(value: FilterValue, effect: FilterEffect): number {
  const length = typeof value === 'string' ? value.length : 0;
  return (length + 1) * (effect === 'alias' ? 8 : 1);
}
