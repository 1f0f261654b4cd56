import { parseTenantId } from '../../core/identity/ids.ts';
import { isNoSuchTransaction } from '../database/database-error.ts';
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
        await sweepJob(nodes.home.database, { ...sweep, step }).run(payload, signal);
      },
    },
  ];
}

/** As it was decided; what nobody has decided is rolled back. One that cannot be ended does not keep the others waiting. */
export async function endLeft(
  nodes: Nodes,
  of: { readonly olderThanSeconds: number; readonly signal?: AbortSignal | undefined },
): Promise<void> {
  const failures: unknown[] = [];
  for (const node of nodes.all) {
    const left = await listLeft(node.database, of.olderThanSeconds).catch((error: unknown) => {
      failures.push(error);
      return [];
    });
    for (const transaction of left) {
      of.signal?.throwIfAborted();
      await endOne(nodes, node, transaction).catch((error: unknown) => failures.push(error));
    }
  }
  if (failures.length > 0) throw failures[0];
}

async function endOne(nodes: Nodes, { database }: VaultNode, { name, id, ...left }: LeftTransaction): Promise<void> {
  const tenantId = parseTenantId(left.tenantId);
  const isCommitted = await nodes.home.database.forTenant(tenantId, (tx) =>
    decide(tx, { tenantId, id, isCommitted: false }),
  );
  await database.endPrepared(name, isCommitted).catch((error: unknown) => {
    // Its server has come back and ended it.
    if (!isNoSuchTransaction(error)) throw error;
  });
}
