import type { Transaction, TransactionOptions } from '../../../platform/database/database.ts';
import { mayHaveHappened } from '../../../platform/database/database-error.ts';
import type { Nodes, VaultNode } from '../../../platform/nodes/nodes.ts';
import { withinDeadline, withoutDeadline } from '../../../platform/waiting/deadline.ts';
import type { WantedSet } from '../model/container-set-limit.ts';
import { countSlot } from '../model/count-slot.ts';
import { listMissingSets, makeSetsIn } from './container-set-store.ts';
import type { InsertTarget } from './token-insert-sql.ts';

/** The sets that tokens go into, by the nodes that these lie on. */
export type SetsOfNodes = ReadonlyMap<VaultNode, readonly WantedSet[]>;

/**
 * Makes the sets that are missing on several nodes before tokens are written there: on all of them, or on none if one has no room.
 * Whoever makes sets of a tenant waits for others who do, and what is prepared may be left for minutes. So nothing that is prepared
 * may have made any. A set that stays empty is forgotten like others.
 */
export async function makeSetsFirst(nodes: Nodes, target: InsertTarget, wanted: SetsOfNodes): Promise<void> {
  if (wanted.size < 2) return;
  const missing = await findMissing(nodes, target, wanted);
  if (missing.length === 0) return;
  // No part of what the request asks for: it has not taken effect by this.
  const statementTimeoutMs = withinDeadline(Number.POSITIVE_INFINITY);
  await withoutDeadline(() => makeWithin(target, missing, { statementTimeoutMs })).catch((error: unknown) => {
    // Whether they are there or not: what is written next finds them, or makes them itself.
    if (!mayHaveHappened(error)) throw error;
  });
}

type Missing = readonly (readonly [node: VaultNode, sets: readonly WantedSet[]])[];

/** In the order of the nodes, so that no two requests wait for each other. */
async function findMissing(nodes: Nodes, { tenantId }: InsertTarget, wanted: SetsOfNodes): Promise<Missing> {
  const found = await Promise.all(
    nodes.all.map(async (node) => {
      const sets = wanted.get(node) ?? [];
      return [node, sets.length === 0 ? [] : await listMissingSets(node.database, tenantId, sets)] as const;
    }),
  );
  return found.filter(([, sets]) => sets.length > 0);
}

/** What failed on another node says nothing of the connection to this one. */
class FailedElsewhere extends Error {
  constructor(cause: unknown) {
    super('The sets could not be made on another node.', { cause });
    this.name = 'FailedElsewhere';
  }
}

/** Each node commits after those behind it have, so that one without room undoes the others. */
async function makeWithin(
  target: InsertTarget,
  [first, ...others]: Missing,
  options: TransactionOptions,
): Promise<void> {
  if (first === undefined) return;
  const [{ database }, sets] = first;
  const make = async (tx: Transaction) => {
    // Counted with what is written on one node: what is prepared may hold any of the other rows.
    await makeSetsIn(tx, { ...target, slot: countSlot() }, sets);
    await makeWithin(target, others, options).catch((cause: unknown) => {
      throw new FailedElsewhere(cause);
    });
  };
  await database.forTenant(target.tenantId, make, options).catch((error: unknown) => {
    throw error instanceof FailedElsewhere ? error.cause : error;
  });
}
