import { parseTenantId } from '../../core/identity/ids.ts';
import type { Database } from '../database/database.ts';
import type { Job } from '../jobs/job.ts';
import { jobOnAll } from '../jobs/job-on-all.ts';
import type { SealedDatabase } from './anchoring.ts';
import { recordInTransaction } from './audit-log.ts';
import { isGenuine } from './checkpoint.ts';
import { toNodeSealEvent } from './node-seal.ts';
import { findNoted, listNewestCheckpoints } from './node-seal-store.ts';

const tenantsPerPage = 500;

interface NodeSealing {
  /** Home first, as the role that seals. */
  readonly databases: readonly [SealedDatabase, ...SealedDatabase[]];
  readonly publicKey: Buffer;
}

/**
 * Notes in the log at home how far each log on a node is sealed, where that has changed: home's own sealing then vouches for the logs
 * of nodes. One that is cut back, replaced or left out later is found. None where there is one database.
 */
export function nodeSealJobs({ databases: [home, ...nodes], publicKey }: NodeSealing): Job[] {
  if (nodes.length === 0) return [];
  return [
    jobOnAll(nodes, ({ node = '', database }) => ({
      name: 'note-node-seals',
      // The log of a busy tenant gets a record of it this often, and so much of a node's log is vouched for by the node alone.
      schedule: { everyMinutes: 5, atMinute: 2 },
      run: (_payload, signal) => noteSeals(home.database, { node, database }, { publicKey, signal }),
    })),
  ];
}

/** Only what the vault has signed: nobody who can write to a node makes home say something else. */
export async function noteSeals(
  home: Database,
  { node, database }: { readonly node: string; readonly database: Database },
  { publicKey, signal }: { readonly publicKey: Buffer; readonly signal?: AbortSignal | undefined },
): Promise<void> {
  for (let after: string | undefined; ; ) {
    const page = { node, after, limit: tenantsPerPage };
    const newest = await database.forSealer((tx) => listNewestCheckpoints(tx, page));
    const tenantIds = newest.map(({ tenantId }) => tenantId);
    const noted = await home.forSealer((tx) => findNoted(tx, { node, tenantIds }));
    for (const checkpoint of newest) {
      signal?.throwIfAborted();
      const known = noted.get(checkpoint.tenantId);
      if (known?.number === checkpoint.number && known.root.equals(checkpoint.root)) continue;
      if (!isGenuine(checkpoint, publicKey)) continue;
      const tenantId = parseTenantId(checkpoint.tenantId);
      await home.forTenant(tenantId, (tx) =>
        recordInTransaction(tx, tenantId, 'system', toNodeSealEvent({ ...checkpoint, node })),
      );
    }
    if (newest.length < tenantsPerPage) return;
    after = tenantIds.at(-1);
  }
}
