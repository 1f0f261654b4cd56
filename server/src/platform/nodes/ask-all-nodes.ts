import type { TenantId } from '../../core/identity/ids.ts';
import type { SqlRow, Statement, Transaction, TransactionOptions } from '../database/database.ts';
import { type NodeState, readNodeStateIn } from './node-store.ts';
import { inTransit, type Nodes, transitMaxMs, type VaultNode } from './nodes.ts';
import { withinDeadline } from '../waiting/deadline.ts';

/** For whom the nodes are asked. */
interface Asking extends TransactionOptions {
  readonly tenantId: TenantId;
  /** A transaction at home that is open already. */
  readonly home?: Transaction;
}

type Work<T> = (tx: Transaction) => Promise<T>;

/**
 * Asks every node for its part of something, each in a transaction of its own; the answers are in the order of the nodes. A drawer that
 * moves meanwhile could be missed by both, or seen by both: then all are asked again.
 */
export async function askAllNodes<T>(nodes: Nodes, asking: Asking, ask: Work<T>): Promise<T[]> {
  if (nodes.isAlone) return [await withinPlace(nodes, asking, nodes.home)(ask)];
  const giveUpAt = performance.now() + withinDeadline(transitMaxMs);
  for (;;) {
    const { known } = nodes;
    const states = new Map<VaultNode, NodeState>();
    const answers = await Promise.all(
      nodes.all.map((node) =>
        withinPlace(
          nodes,
          asking,
          node,
        )(async (tx) => {
          const answer = await ask(tx);
          // After all that was asked, which may be several statements: what was held before and after was held throughout.
          states.set(node, await readNodeStateIn(tx));
          return answer;
        }),
      ),
    );
    if (await nodes.isAsKnown(known, states)) return answers;
    if (performance.now() > giveUpAt) throw inTransit();
  }
}

/** The same for one statement; where there is one database, in one round trip. */
export async function askAllForRows<Row extends SqlRow>(
  nodes: Nodes,
  tenantId: TenantId,
  statement: Statement,
): Promise<Row[][]> {
  if (nodes.isAlone) return [await nodes.home.database.runForTenant<Row>(tenantId, statement)];
  return askAllNodes(nodes, { tenantId }, (tx) => tx.query<Row>(statement));
}

/** Works in a transaction on a node: in the one that is open already, if it is home. */
function withinPlace(nodes: Nodes, asking: Asking, node: VaultNode): <T>(work: Work<T>) => Promise<T> {
  const { tenantId, home, ...options } = asking;
  return (work) =>
    node === nodes.home && home !== undefined ? work(home) : node.database.forTenant(tenantId, work, options);
}
