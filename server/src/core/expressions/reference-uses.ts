import type { JsonPathSegment } from './filters/json-path.ts';
import type { Reference } from './reference-text.ts';

/**
 * The tokens that are referred to, and the parts of each: `data`, `data.number`, or `token` for the whole token. Keys
 * of token intents begin with `intentMark`.
 */
export type ReferenceUses = ReadonlyMap<string, ReadonlySet<string>>;

/** Marks the id of a token intent. No token id contains this character. */
export const intentMark = '#';

export const noUses: ReferenceUses = new Map();

/**
 * The maximum number of parts recorded for one token, which is more than real requests name. Any further parts are
 * recorded as `*`.
 */
const fieldsMax = 20;
const stepsMax = 4;
/**
 * A member name that may be recorded. Callers write paths, so anything that does not look like a member name may be a
 * value and is not repeated.
 */
const memberName = /^[A-Za-z_]{1,40}\d{0,2}$/;
const unnamed = '*';

export function usesOf(references: readonly Reference[]): ReferenceUses {
  return mergeUses(references.map((reference) => new Map([[keyOf(reference), new Set([fieldOf(reference)])]])));
}

export function mergeUses(all: readonly ReferenceUses[]): ReferenceUses {
  const merged = new Map<string, Set<string>>();
  for (const uses of all) {
    for (const [tokenId, fields] of uses) {
      const known = merged.get(tokenId) ?? new Set();
      merged.set(tokenId, known);
      for (const field of fields) if (!known.has(field)) known.add(known.size < fieldsMax ? field : unnamed);
    }
  }
  return merged;
}

function keyOf({ kind, tokenId }: Reference): string {
  return kind === 'intent' ? `${intentMark}${tokenId.toLowerCase()}` : tokenId;
}

/**
 * Returns the part that a reference selects with its leading path filters. Any later filter is assumed to read all of
 * it.
 */
function fieldOf({ kind, filters }: Reference): string {
  const end = filters.findIndex(({ path }) => path === undefined);
  const path = filters.slice(0, end < 0 ? undefined : end).flatMap((filter) => filter.path ?? []);
  const names = path.slice(0, stepsMax).map(nameOf);
  if (path.length > stepsMax) names.push(unnamed);
  if (kind === 'data') return ['data', ...names].join('.');
  if (kind === 'intent' && names.length === 0) return 'token_intent';
  return names.length === 0 ? 'token' : names.join('.');
}

function nameOf(segment: JsonPathSegment): string {
  return segment.kind === 'name' && memberName.test(segment.name) ? segment.name : unnamed;
}
