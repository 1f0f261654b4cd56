import { DomainError } from '../../../core/errors/domain-error.ts';
import type { Transaction, TransactionOptions } from '../../../platform/database/database.ts';
import { askAllNodes } from '../../../platform/nodes/ask-all-nodes.ts';
import type { Nodes } from '../../../platform/nodes/nodes.ts';
import { tokenQueryLimits } from '../../../core/token-limits.ts';
import type { StoredToken } from '../model/token.ts';
import { sortNewestFirst } from './newest-first.ts';
import { type CountedPage, findAmong, findPage, findPlaces, type PageQuestion } from './token-page.ts';
import { emptyPage } from './token-query-store.ts';

/** Finds a page wherever its tokens lie. */
export async function findPageOnNodes(
  nodes: Nodes,
  question: PageQuestion,
  options: TransactionOptions,
): Promise<CountedPage> {
  const { tenantId, slice } = question;
  if (nodes.isAlone) return nodes.home.database.forTenant(tenantId, (tx) => findPage(tx, question), options);
  if (slice.offset > 0) return findLatePage(nodes, question, options);
  const pages = await askAllNodes(nodes, { tenantId, ...options }, (tx: Transaction) => findPage(tx, question));
  return joinPages(nodes, question, pages);
}

/**
 * Which of a node's tokens are on a late page depends on the others: each tells where all that come before its end stand. Then the
 * tokens of the page are read. They are asked the whole question once more, since they may have changed meanwhile.
 */
async function findLatePage(nodes: Nodes, question: PageQuestion, options: TransactionOptions): Promise<CountedPage> {
  const { tenantId, slice } = question;
  const asking = { tenantId, ...options };
  const end = slice.offset + slice.limit;
  const isWithin = end <= tokenQueryLimits.placesMax;
  const upToEnd = { ...question, slice: { ...slice, offset: 0, limit: isWithin ? end : 0 } };
  const parts = await askAllNodes(nodes, asking, (tx: Transaction) => findPlaces(tx, upToEnd));
  const places = parts.flatMap(({ tokens }) => tokens);
  const sorted = await sortNewestFirst(nodes.home.database, tenantId, places);
  const ids = sorted.slice(slice.offset, end).map(({ id }) => id);
  const totalItems = parts.reduce((sum, part) => sum + part.totalItems, 0);
  if (!isWithin && slice.offset < totalItems) throw tooLate();
  if (ids.length === 0) return { ...emptyPage, totalItems };
  const pages = await askAllNodes(nodes, asking, (tx: Transaction) => findAmong(tx, question, ids));
  const uncounted = pages.map((page) => ({ ...page, totalItems: 0 }));
  const page = await joinPages(nodes, { ...question, slice: { offset: 0, limit: ids.length } }, uncounted);
  const isFollowed = sorted.length > end || parts.some(({ hasMore }) => hasMore);
  return { ...page, hasMore: page.hasMore || isFollowed, totalItems };
}

/** The newest of what the nodes have found. */
export async function joinPages(
  nodes: Nodes,
  { tenantId, slice, isCounted }: PageQuestion,
  pages: readonly CountedPage[],
): Promise<CountedPage> {
  const ends = pages.filter(({ isCut }) => isCut).flatMap(({ tokens }) => tokens.at(-1) ?? []);
  const all = pages.flatMap(({ tokens }) => tokens);
  const sorted = await sortNewestFirst(nodes.home.database, tenantId, all);
  // Behind the end of a page that was cut off there may be others that this node has not told.
  const known = sorted.slice(0, Math.min(...ends.map((end) => sorted.indexOf(end) + 1), sorted.length));
  const wanted = known.slice(slice.offset, slice.offset + slice.limit);
  const tokens = withinBytes(wanted);
  const isCut = tokens.length < wanted.length || (ends.length > 0 && wanted.length < slice.limit);
  return {
    tokens,
    isCut,
    hasMore: isCut || sorted.length > slice.offset + tokens.length || pages.some(({ hasMore }) => hasMore),
    totalItems: isCounted ? pages.reduce((sum, { totalItems }) => sum + totalItems, 0) : 0,
  };
}

/** As much as one statement may read; the first, however long it is. */
function withinBytes(tokens: readonly StoredToken[]): StoredToken[] {
  let bytes = 0;
  const end = tokens.findIndex((token) => {
    const isPast = bytes >= tokenQueryLimits.pageBytesMax;
    bytes += token.data.length;
    return isPast;
  });
  return end < 0 ? [...tokens] : tokens.slice(0, end);
}

function tooLate(): DomainError {
  return new DomainError(
    'page-too-large',
    `This page begins too late: in a vault with several databases, pages by number end at ${tokenQueryLimits.placesMax.toLocaleString('en')} tokens. Use the /v2 route, whose pages follow each other.`,
    { found: {} },
  );
}
