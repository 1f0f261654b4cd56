import { invalidField } from '../../../core/errors/domain-error.ts';
import type { StoredToken } from '../model/token.ts';
import { isTokenId } from '../model/token-id.ts';
import type { Slice } from './token-query-store.ts';

/**
 * `<milliseconds>.<id>` of the last token of a page. The id is not encoded, because a long id would then exceed the
 * length limit of a cursor. No id can contain a character with a meaning in a query string.
 */
const cursorPattern = /^(\d{1,15})\.(.+)$/su;

/** Returns the cursor that continues after the last token of a page. */
export function toCursor(page: readonly StoredToken[]): string | undefined {
  const last = page.at(-1);
  return last === undefined ? undefined : `${last.createdAt.getTime()}.${last.id}`;
}

/** Parses a cursor. It grants no access, because the next page is authorized like any other list. */
export function toSlice(cursor: string | undefined, limit: number): Slice {
  if (cursor === undefined) return { offset: 0, limit };
  const [, at, id] = cursorPattern.exec(cursor) ?? [];
  if (at === undefined || id === undefined || !isTokenId(id))
    throw invalidField('start', 'must be the `next` of an earlier page');
  return { offset: 0, limit, after: { createdAt: new Date(Number(at)), id } };
}
