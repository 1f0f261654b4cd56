import type { Grants } from '../../../core/access/access-rule.ts';
import type { SearchQuery } from '../../../core/search/search-query.ts';
import { both, toVisibility, type Visibility } from '../../../core/sight/visible-query.ts';
import { sha256 } from '../../../platform/keyring/sealing/sha256.ts';
import type { Selection } from './erasure.ts';

/** What an erasure may remove. */
export interface ErasureScope {
  readonly query: Visibility;
  /** True if the rights leave out some tokens. */
  readonly isLimited: boolean;
}

/**
 * Returns the query of a selection, narrowed to the tokens that the grants can both find and delete. What is created
 * later than `before` is never part of it.
 */
export function toErasureScope(selection: Selection, grants: Grants, before?: Date): ErasureScope {
  const rights = both(toVisibility(grants, 'token:search'), toVisibility(grants, 'token:delete'));
  const wanted = toQuery(selection, before);
  return { query: both(wanted, rights), isLimited: rights !== 'all' };
}

function toQuery({ container, type, metadata }: Selection, before: Date | undefined): Visibility {
  const terms: SearchQuery[] = [
    ...Object.entries(metadata).map(([key, value]) => ({ kind: 'metadata', key, value }) as const),
    ...(container === null ? [] : [{ kind: 'container', path: container, isSubtree: true } as const]),
    ...(type === null ? [] : [{ kind: 'term', field: 'type', value: type } as const]),
    ...(before === undefined ? [] : [{ kind: 'range', field: 'created_at', before } as const]),
  ];
  return terms.reduce<Visibility>((query, term) => both(query, term), 'all');
}

/**
 * Returns the selection with digests in place of the values of metadata. Anyone who knows a value can compute the
 * digest and recognise it; the erasure itself must not keep what it removed.
 */
export function withDigests(selection: Selection, erasureId: string): Selection {
  const digest = ([key, value]: [string, string]) => [key, digestOf(erasureId, key, value)] as const;
  return { ...selection, metadata: Object.fromEntries(Object.entries(selection.metadata).map(digest)) };
}

/** Returns the digest of a pair of metadata: SHA-256 over the id of the erasure, the key and the lower-cased value. */
export function digestOf(erasureId: string, key: string, value: string): string {
  const text = JSON.stringify(['strongroom/erased-metadata/1', erasureId, key.toLowerCase(), value.toLowerCase()]);
  return `sha256:${sha256(Buffer.from(text, 'utf8')).toString('hex')}`;
}
