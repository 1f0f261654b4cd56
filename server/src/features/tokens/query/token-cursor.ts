import { invalidField } from '../../../core/errors/domain-error.ts';
import type { StoredToken } from '../model/token.ts';
import { isTokenId } from '../model/token-id.ts';
import type { Slice } from './token-query-store.ts';

/**
 * `<milliseconds>.<id>` of the last token of a page. The id stands there as it is: encoded, a long one would not fit into
 * what a cursor may have, and what a query string gives a meaning to no id can hold.
 */
const cursorPattern = /^(\d{1,15})\.(.+)$/su;

/** The cursor that leads on from the last token of a page. */
export function toCursor(page: readonly StoredToken[]): string | undefined {
  const last = page.at(-1);
  return last === undefined ? undefined : `${last.createdAt.getTime()}.${last.id}`;
}

/** Reads a cursor of ours. It grants nothing: what it leads to is judged like any other list. */
export function toSlice(cursor: string | undefined, limit: number): Slice {
  if (cursor === undefined) return { offset: 0, limit };
  const [, at, id] = cursorPattern.exec(cursor) ?? [];
  if (at === undefined || id === undefined || !isTokenId(id))
    throw invalidField('start', 'must be the `next` of an earlier page');
  return { offset: 0, limit, after: { createdAt: new Date(Number(at)), id } };
}
