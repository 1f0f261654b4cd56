import { parseTenantId } from '../../core/identity/ids.ts';
import type { Job } from '../jobs/job.ts';
import { sweepJob } from '../jobs/tenant-sweep.ts';
import { decide, forgetDecisions, listLeft } from './joint-commit-store.ts';
import type { Nodes } from './nodes.ts';

/** Longer than a request may take. */
const olderThanSeconds = 60;

/** Ends what servers have prepared on several nodes and could not end: none where there is one database. */
export function jointCommitJobs(nodes: Nodes): Job[] {
  if (nodes.isAlone) return [];
  return [
    {
      name: 'end-prepared-transactions',
      schedule: { everyMinutes: 1, atMinute: 0 },
      run: (_payload, signal) => endLeft(nodes, { olderThanSeconds, signal }),
    },
    sweepJob(nodes.home.database, {
      name: 'sweep-joint-commits',
      schedule: { everyMinutes: 60, atMinute: 23 },
      step: forgetDecisions,
    }),
  ];
}

/** As it was decided; what nobody has decided is rolled back. */
export async function endLeft(
  nodes: Nodes,
  of: { readonly olderThanSeconds: number; readonly signal?: AbortSignal | undefined },
): Promise<void> {
  for (const { database } of nodes.all) {
    for (const { name, id, ...left } of await listLeft(database, of.olderThanSeconds)) {
      of.signal?.throwIfAborted();
      const tenantId = parseTenantId(left.tenantId);
      const isCommitted = await nodes.home.database.forTenant(tenantId, (tx) =>
        decide(tx, { tenantId, id, isCommitted: false }),
      );
      await database.endPrepared(name, isCommitted);
    }
  }
}
