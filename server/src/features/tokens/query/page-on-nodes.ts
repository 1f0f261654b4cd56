import type { Transaction, TransactionOptions } from '../../../platform/database/database.ts';
import { askAllNodes } from '../../../platform/nodes/ask-all-nodes.ts';
import type { Nodes } from '../../../platform/nodes/nodes.ts';
import { tokenQueryLimits } from '../../../core/token-limits.ts';
import type { StoredToken } from '../model/token.ts';
import { sortNewestFirst } from './newest-first.ts';
import { type CountedPage, findPage, type PageQuestion } from './token-page.ts';

/** Finds a page wherever its tokens lie. */
export async function findPageOnNodes(
  nodes: Nodes,
  question: PageQuestion,
  options: TransactionOptions,
): Promise<CountedPage> {
  const { tenantId, slice } = question;
  if (nodes.isAlone) return nodes.home.database.forTenant(tenantId, (tx) => findPage(tx, question), options);
  // Which of a node's tokens are on the page depends on the others: each tells all that could be.
  const whole = { ...question, slice: { ...slice, offset: 0, limit: slice.offset + slice.limit } };
  const pages = await askAllNodes(nodes, { tenantId, ...options }, (tx: Transaction) => findPage(tx, whole));
  return joinPages(nodes, question, pages);
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
