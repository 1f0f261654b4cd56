import { parseTenantId } from '../../core/identity/ids.ts';
import type { Database } from '../database/database.ts';
import type { Job } from '../jobs/job.ts';
import { jobOnAll } from '../jobs/job-on-all.ts';
import type { SealedDatabase } from './anchoring.ts';
import { recordInTransaction } from './audit-log.ts';
import { isGenuine } from './checkpoint.ts';
import type { StoredCheckpoint } from './checkpoint-row.ts';
import { findContradiction, type NodeContradiction } from './node-contradiction.ts';
import { toNodeSealEvent } from './node-seal.ts';
import { findNoted, listNewestCheckpoints, type NotedSeal } from './node-seal-store.ts';
import { SealStore } from './seal-store.ts';

const tenantsPerPage = 500;

interface NodeSealing {
  /** Home first, as the role that seals. */
  readonly databases: readonly [SealedDatabase, ...SealedDatabase[]];
  readonly publicKey: Buffer;
  /** What was noted less long ago is left to the worker that has signed it. */
  readonly leftToSignerSeconds?: number;
  /** Gets what nodes show that cannot be. */
  readonly onContradictions?: (contradictions: readonly NodeContradiction[]) => void;
}

/**
 * Notes in the log at home how far each log on a node is sealed, where that has changed: home's own sealing then vouches for the logs
 * of nodes. One that is cut back, replaced or left out later is found. Workers note what they sign themselves; this is for one that was
 * lost before it did, for each new month, and to look at what nodes show. None where there is one database.
 */
export function nodeSealJobs({ databases: [home, ...nodes], onContradictions, ...of }: NodeSealing): Job[] {
  if (nodes.length === 0) return [];
  return [
    jobOnAll(nodes, ({ node = '', database }) => ({
      name: 'note-node-seals',
      schedule: { everyMinutes: 5, atMinute: 2 },
      run: async (_payload, signal) => {
        const found = await noteSeals(home.database, { node, database }, { ...of, signal });
        onContradictions?.(found);
      },
    })),
  ];
}

/** Only what the vault has signed: nobody who can write to a node makes home say something else. */
async function noteSeals(
  home: Database,
  { node, database }: { readonly node: string; readonly database: Database },
  of: Pick<NodeSealing, 'publicKey' | 'leftToSignerSeconds'> & { readonly signal: AbortSignal | undefined },
): Promise<NodeContradiction[]> {
  const { publicKey, leftToSignerSeconds = 0, signal } = of;
  const found: NodeContradiction[] = [];
  for (let after: string | undefined; ; ) {
    const page = { node, after, limit: tenantsPerPage };
    const newest = await database.forSealer((tx) => listNewestCheckpoints(tx, page));
    const tenantIds = newest.map(({ tenantId }) => tenantId);
    const noted = await home.forSealer((tx) => findNoted(tx, { node, tenantIds }));
    found.push(...(await listContradictions({ node, database }, { newest, noted, publicKey })));
    for (const checkpoint of newest) {
      signal?.throwIfAborted();
      const known = noted.get(checkpoint.tenantId);
      if (known?.number === checkpoint.number && known.root.equals(checkpoint.root)) continue;
      if (known !== undefined && known.ageSeconds < leftToSignerSeconds) continue;
      if (!isGenuine(checkpoint, publicKey)) continue;
      const tenantId = parseTenantId(checkpoint.tenantId);
      await home.forTenant(tenantId, (tx) =>
        recordInTransaction(tx, tenantId, 'system', toNodeSealEvent({ ...checkpoint, node })),
      );
    }
    if (newest.length < tenantsPerPage) return found;
    after = tenantIds.at(-1);
  }
}

/** Asks the node once more before it accuses it: what home has noted may have been sealed after the node was asked. */
async function listContradictions(
  { node, database }: { readonly node: string; readonly database: Database },
  of: {
    readonly newest: readonly StoredCheckpoint[];
    readonly noted: ReadonlyMap<string, NotedSeal>;
    readonly publicKey: Buffer;
  },
): Promise<NodeContradiction[]> {
  // Of a tree that nothing was noted of, all that can be said is whether its newest checkpoint is signed.
  const knownOf = (tenantId: string) => ({
    tenantId,
    node,
    ...(of.noted.get(tenantId) ?? { number: 0, treeSize: 0, root: Buffer.alloc(0) }),
  });
  const suspects = of.newest.filter((each) => findContradiction(knownOf(each.tenantId), each, of.publicKey));
  if (suspects.length === 0) return [];
  const tenantIds = suspects.map(({ tenantId }) => tenantId);
  const again = await database.forSealer((tx) => new SealStore(tx, node).findNewest(tenantIds));
  return tenantIds.flatMap((id) => findContradiction(knownOf(id), again.get(id), of.publicKey) ?? []);
}
