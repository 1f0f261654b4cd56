import type { TenantId } from '../../core/identity/ids.ts';
import type { Transaction } from '../database/database.ts';
import { DomainError } from '../../core/errors/domain-error.ts';
import { markUncertain, mayHaveHappened } from '../database/database-error.ts';
import { withoutDeadline } from '../waiting/deadline.ts';
import { decide, nameTransaction } from './joint-commit-store.ts';
import type { Nodes, VaultNode } from './nodes.ts';

/**
 * Does something on several nodes: all of it or none. Each prepares its part; then a row at home decides, and each commits. Should this
 * process end in between, a worker finds what was prepared and does what the row says, or decides against it if there is none.
 */
export async function commitJointly<T>(
  nodes: Nodes,
  tenantId: TenantId,
  parts: ReadonlyMap<VaultNode, (tx: Transaction) => Promise<T>>,
): Promise<Map<VaultNode, T>> {
  const id = crypto.randomUUID();
  const nameAt = (node: VaultNode) => nameTransaction({ tenantId, id, node: node.name });
  const done = new Map<VaultNode, T>();
  // Whatever becomes of the request: nothing that is prepared may be left behind.
  const end = (isCommitted: boolean) =>
    withoutDeadline(() =>
      Promise.all([...done.keys()].map((node) => node.database.endPrepared(nameAt(node), isCommitted))),
    );
  let isCommitted: boolean;
  try {
    // One after the other, and everybody in the same order: two that wait for each other on different nodes would wait for ever.
    for (const node of nodes.all) {
      const work = parts.get(node);
      if (work === undefined) continue;
      done.set(node, await node.database.forTenant(tenantId, work, { prepareAs: nameAt(node) }));
    }
    isCommitted = await nodes.home.database.forTenant(tenantId, (tx) =>
      decide(tx, { tenantId, id, isCommitted: true }),
    );
  } catch (error) {
    // If it may have been decided, or a node cannot be told, a worker finds what is left.
    if (!mayHaveHappened(error)) await end(false).catch(() => undefined);
    throw error;
  }
  await end(isCommitted).catch((error: unknown) => {
    // It is decided, and happens as soon as the node can be reached.
    markUncertain(error);
    throw error;
  });
  if (!isCommitted) throw givenUp();
  return done;
}

function givenUp(): DomainError {
  return new DomainError('overloaded', 'The request took too long and was undone. Try again shortly.');
}
