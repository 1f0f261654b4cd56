import { invalidField } from '../../core/errors/domain-error.ts';
import type { TokenId } from '../../core/identity/ids.ts';
import type { StoredToken } from './token.ts';
import type { Slice } from './token-query-store.ts';

/** Where a list goes on: after a token, or after so many tokens of its instant when the id is too long to carry. */
type Cursor = readonly [createdAt: number, place: string | number];

const cursorLengthMax = 500;

/** The cursor that leads on from the last token of a page. */
export function toCursor(page: readonly StoredToken[]): string | undefined {
  const last = page.at(-1);
  if (last === undefined) return undefined;
  const at = last.createdAt.getTime();
  const byId = encode([at, last.id]);
  if (byId.length <= cursorLengthMax) return byId;
  return encode([at, page.filter((token) => token.createdAt.getTime() === at).length]);
}

/** Reads a cursor of ours. It grants nothing: what it leads to is judged like any other list. */
export function toSlice(cursor: string | undefined, limit: number): Slice {
  if (cursor === undefined) return { offset: 0, limit };
  const [at, place] = decode(cursor);
  const createdAt = new Date(at);
  if (typeof place === 'string') return { offset: 0, limit, after: { createdAt, id: place as TokenId } };
  return { offset: place, limit, after: { createdAt, id: undefined } };
}

function encode(cursor: Cursor): string {
  return Buffer.from(JSON.stringify(cursor), 'utf8').toString('base64url');
}

function decode(text: string): Cursor {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    if (isCursor(value)) return value;
  } catch {
    // Not one of ours: refused below like every other.
  }
  throw invalidField('start', 'must be the `next` of an earlier page');
}

function isCursor(value: unknown): value is Cursor {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [at, place] = value as unknown[];
  const isTime = typeof at === 'number' && Number.isInteger(at) && Math.abs(at) <= 8.64e15;
  const isPlace =
    typeof place === 'string'
      ? place.length <= 400 && !place.includes('\0') && place.isWellFormed()
      : Number.isInteger(place) && Number(place) >= 0 && Number(place) <= 1e6;
  return isTime && isPlace;
}
