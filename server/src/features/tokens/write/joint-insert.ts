import type { TenantId } from '../../../core/identity/ids.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import { commitJointly } from '../../../platform/nodes/joint-commit.ts';
import type { Nodes, VaultNode } from '../../../platform/nodes/nodes.ts';
import { mapInTurns } from '../../../platform/waiting/turns.ts';
import type { WantedSet } from '../model/container-set-limit.ts';
import { makeSetsFirst } from './joint-sets.ts';
import { type InsertTarget, toInsertRow, type TokenInsert } from './token-insert-sql.ts';
import { insertAllIn } from './whole-insert.ts';

/** A token and its place in the request. */
type Entry = readonly [index: number, item: TokenInsert];

/** By the nodes that hold their ids. */
export async function groupByNode(
  nodes: Nodes,
  items: readonly TokenInsert[],
): Promise<ReadonlyMap<VaultNode, readonly Entry[]>> {
  const ids = await nodes.group(items.map(({ token }) => token.id));
  const nodeOf = new Map([...ids].flatMap(([node, own]) => own.map((id) => [id, node] as const)));
  const groups = new Map<VaultNode, Entry[]>();
  for (const [index, item] of items.entries()) {
    const node = nodeOf.get(item.token.id) ?? nodes.home;
    groups.set(node, [...(groups.get(node) ?? []), [index, item]]);
  }
  return groups;
}

/** Tokens whose ids the caller has chosen lie where they lie: written on several nodes in one piece. Tells when each was created. */
export async function insertJointly(
  nodes: Nodes,
  places: ReadonlyMap<VaultNode, readonly Entry[]>,
  target: InsertTarget,
): Promise<Date[]> {
  const parts = new Map<VaultNode, (tx: Transaction) => Promise<Date>>();
  const sets = new Map<VaultNode, readonly WantedSet[]>();
  for (const [node, entries] of places) {
    await requireAcquainted(nodes, node, target.tenantId, entries);
    const rows = await mapInTurns(entries, ([, item]) => toInsertRow(item));
    const numbered = rows.map((row, place) => [entries[place]?.[0] ?? 0, row] as const);
    sets.set(
      node,
      rows.map(({ set }) => set),
    );
    parts.set(node, (tx) => insertAllIn(tx, target, numbered));
  }
  await makeSetsFirst(nodes, target, sets);
  const createdAt = await commitJointly(nodes, target.tenantId, parts);
  const dates: Date[] = [];
  for (const [node, entries] of places) {
    for (const [index] of entries) dates[index] = createdAt.get(node) ?? new Date(0);
  }
  return dates;
}

async function requireAcquainted(
  nodes: Nodes,
  node: VaultNode,
  tenantId: TenantId,
  entries: readonly Entry[],
): Promise<void> {
  const createdBy = entries[0]?.[1].token.createdBy;
  if (createdBy !== undefined && createdBy !== null) await nodes.acquaint(node, tenantId, createdBy);
}
