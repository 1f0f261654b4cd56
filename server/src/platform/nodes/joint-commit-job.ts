import { parseTenantId } from '../../core/identity/ids.ts';
import type { Job } from '../jobs/job.ts';
import { type Sweep, sweepJob } from '../jobs/tenant-sweep.ts';
import { decide, forgetDecisions, type LeftTransaction, listLeft } from './joint-commit-store.ts';
import type { Nodes, VaultNode } from './nodes.ts';

/** Longer than a request may take. */
const olderThanSeconds = 60;
const sweep = { name: 'sweep-joint-commits', schedule: { everyMinutes: 60, atMinute: 23 } } as const;

/** Ends what servers have prepared on several nodes and could not end: none where there is one database. */
export function jointCommitJobs(nodes: Nodes): Job[] {
  if (nodes.isAlone) return [];
  return [
    {
      name: 'end-prepared-transactions',
      schedule: { everyMinutes: 1, atMinute: 0 },
      run: (_payload, signal) => endLeft(nodes, { olderThanSeconds, signal }),
    },
    {
      ...sweep,
      async run(payload, signal) {
        // Every node has to answer: one that cannot be reached may hold what a decision is about.
        const left = await Promise.all(nodes.all.map(({ database }) => listLeft(database, 0)));
        const except = left.flat().map(({ id }) => id);
        const step: Sweep['step'] = (tx, tenantId, limit) => forgetDecisions(tx, tenantId, { limit, except });
        for (const { database } of nodes.all) await sweepJob(database, { ...sweep, step }).run(payload, signal);
      },
    },
  ];
}

/**
 * As it was decided; what nobody has decided is rolled back. One that cannot be ended does not keep the others waiting, unless they are
 * claims on what it does.
 */
export async function endLeft(
  nodes: Nodes,
  of: { readonly olderThanSeconds: number; readonly signal?: AbortSignal | undefined },
): Promise<void> {
  const failures: unknown[] = [];
  const claims: Left[] = [];
  for (const node of nodes.all) {
    const left = await listLeft(node.database, of.olderThanSeconds).catch((error: unknown) => {
      failures.push(error);
      return [];
    });
    claims.push(...left.filter(({ hasClaims }) => hasClaims).map((transaction) => ({ node, transaction })));
    for (const transaction of left.filter(({ hasClaims }) => !hasClaims)) {
      of.signal?.throwIfAborted();
      await endOne(nodes, { node, transaction }).catch((error: unknown) => failures.push(error));
    }
  }
  for (const claim of claims) {
    of.signal?.throwIfAborted();
    await endClaims(nodes, claim).catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}

interface Left {
  readonly node: VaultNode;
  readonly transaction: LeftTransaction;
}

/** Once everything that was done under them is ended on every node, however old it is. Until then, others keep waiting. */
async function endClaims(nodes: Nodes, left: Left): Promise<void> {
  const isCommitted = await findDecision(nodes, left.transaction);
  const others = await Promise.all(nodes.all.map(({ database }) => listLeft(database, 0)));
  const isUnderWay = others.flat().some(({ id, hasClaims }) => id === left.transaction.id && !hasClaims);
  if (!isUnderWay) await left.node.database.endPrepared(left.transaction.name, isCommitted);
}

async function endOne(nodes: Nodes, { node, transaction }: Left): Promise<void> {
  await node.database.endPrepared(transaction.name, await findDecision(nodes, transaction));
}

/** Decides against it if nobody has decided yet. */
async function findDecision(nodes: Nodes, { id, decider, ...left }: LeftTransaction): Promise<boolean> {
  const tenantId = parseTenantId(left.tenantId);
  const node = nodes.all.find(({ name }) => name === decider);
  if (node === undefined) throw new Error('A prepared transaction names a node that this vault does not have.');
  return node.database.forTenant(tenantId, (tx) => decide(tx, { tenantId, id, isCommitted: false }));
}
