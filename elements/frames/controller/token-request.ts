import { maskedPathOf, mayShowEnd } from '../../../server/src/core/expressions/fields-mask.ts';
import { isRecord } from '../../protocol/parse.ts';
import { findReference } from './resolve-payload.ts';
import { RefusedCall } from './refused-call.ts';

/**
 * The members that a token request of a page may have. `privacy` has no effect. The vault evaluates some members over
 * typed values and reports failures, so review what a member can reveal before adding it here.
 */
const knownMembers: ReadonlySet<string> = new Set([
  'id',
  'type',
  'data',
  'mask',
  'containers',
  'metadata',
  'privacy',
  'search_indexes',
  'fingerprint_expression',
  'deduplicate_token',
  'expires_at',
]);
/**
 * Matches a whole member of the data. If an expression over a part of a value fails, the failure reveals something
 * about that part.
 */
const wholeMember = /^\{\{\s*data(?:\.[A-Za-z0-9_]+)*\s*\}\}$/;
/**
 * Matches expressions over whole members of the data. A page could guess a part of a member from the part's
 * fingerprint.
 */
const safeFingerprint = /^(?:[^{}]|\{\{\s*data(?:\.[A-Za-z0-9_]+)*\s*\}\})*$/;

/**
 * Rejects requests that would let a page read typed values: members of unknown effect, references outside `data`, an id
 * built from an expression, a search index or fingerprint of a part of a member, and deduplication, which confirms a
 * guess. The vault checks the same for requests from the origin of the fields.
 */
export function requireHarmless(token: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(token)) {
    if (!knownMembers.has(name)) throw new RefusedCall('A token in elements has a member that is not available there.');
    if (name !== 'data' && hasReference(value)) throw new RefusedCall('Elements can only be used inside data.');
  }
  const { id, deduplicate_token, fingerprint_expression, search_indexes } = token;
  if (typeof id === 'string' && id.includes('{{'))
    throw new RefusedCall(
      'An id made from an expression is not available in elements. Create the token from your server.',
    );
  if (!isAbsent(search_indexes) && !(Array.isArray(search_indexes) && search_indexes.every(isWholeMember)))
    throw new RefusedCall('searchIndexes in elements can only name whole members, such as {{ data.number }}.');
  if (typeof fingerprint_expression === 'string' && !safeFingerprint.test(fingerprint_expression))
    throw new RefusedCall(
      'A fingerprint_expression in elements can only name whole members, such as {{ data.number }}.',
    );
  if (deduplicate_token === true)
    throw new RefusedCall(
      'deduplicateToken is not available in elements: it would tell the page whether a card is known.',
    );
}

/** Rejects members that a token intent does not have. */
export function requireIntent(intent: Readonly<Record<string, unknown>>): void {
  if (Object.keys(intent).every((name) => name === 'type' || name === 'data')) return;
  throw new RefusedCall('A token intent has only a type and data.');
}

/** Checks a mask against the data, because a mask can show all of a short value. */
export function requireHarmlessMask(token: Readonly<Record<string, unknown>>): void {
  for (const text of listLeaves(token['mask'])) {
    if (!text.includes('{{') && !text.includes('{%')) continue;
    const path = maskedPathOf(text);
    if (path === undefined || !mayShowEnd(findAt(token['data'], path.slice(1))))
      throw new RefusedCall(
        'A mask in elements can only use reveal_last with at most 4 characters or card_mask, on values longer than 8 characters.',
      );
  }
}

/** Returns true if the page may see the end of a value, because of the token's type or its mask. */
export function showsEnds({ type, mask }: Readonly<Record<string, unknown>>): boolean {
  return type !== 'token' || (mask !== undefined && mask !== null);
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

function isWholeMember(text: unknown): boolean {
  return typeof text === 'string' && wholeMember.test(text);
}

export function hasReference(value: unknown): boolean {
  if (findReference(value) !== undefined) return true;
  if (Array.isArray(value)) return value.some(hasReference);
  return isRecord(value) && Object.values(value).some(hasReference);
}

function findAt(data: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, name) => (isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined),
    data,
  );
}

function listLeaves(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(listLeaves);
}
