import type { TenantId } from '../../core/identity/ids.ts';
import type { Transaction } from '../database/database.ts';
import { markUncertain } from '../database/database-error.ts';
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
  const prepared = await Promise.allSettled(
    [...parts].map(async ([node, work]) => {
      const result = await node.database.forTenant(tenantId, work, { prepareAs: nameAt(node) });
      return [node, result] as const;
    }),
  );
  const done = prepared.flatMap((part) => (part.status === 'fulfilled' ? [part.value] : []));
  const end = (isCommitted: boolean) =>
    Promise.all(done.map(([node]) => node.database.endPrepared(nameAt(node), isCommitted)));
  const failed = prepared.find((part) => part.status === 'rejected');
  if (failed !== undefined) {
    // What cannot be told now is found by a worker.
    await end(false).catch(() => undefined);
    throw failed.reason;
  }
  const isCommitted = await nodes.home.database.forTenant(tenantId, (tx) =>
    decide(tx, { tenantId, id, isCommitted: true }),
  );
  try {
    await end(isCommitted);
  } catch (error) {
    // It is decided, and happens as soon as the node can be reached.
    markUncertain(error);
    throw error;
  }
  if (!isCommitted) throw new Error('A worker has given up a transaction while it was being decided.');
  return new Map(done);
}
