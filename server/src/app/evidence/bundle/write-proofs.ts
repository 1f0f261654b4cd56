import { parseTenantId, type TenantId } from '../../../core/identity/ids.ts';
import { toCheckpointJson } from '../../../platform/audit/seal/checkpoint.ts';
import type { StoredCheckpoint } from '../../../platform/audit/seal/checkpoint-row.ts';
import { proveConsistency, toConsistencyJson } from '../../../platform/audit/verify/consistency-proof.ts';
import { Prover, toProofJson } from '../../../platform/audit/verify/inclusion-proof.ts';
import { UnprovableError } from '../../../platform/audit/verify/tree-replay.ts';
import type { EvidenceReading } from '../facts/fact-group.ts';
import { findVerificationStart, listChanges } from '../facts/log-store.ts';
import type { BundleTarget } from './bundle-target.ts';
import type { BundleFile } from './evidence-manifest.ts';

const proofFiles = ['proofs/checkpoints.ndjson', 'proofs/consistency.ndjson', 'proofs/records.ndjson'] as const;
const recordsPerTenant = 200;
/** Proving a record reads a few checkpoints again, so that this many take minutes. */
const recordsMax = 5_000;

/** Writes the proofs of each tenant: its checkpoints, that the log has only grown, and the newest changes of rights. */
export async function writeProofs(
  target: BundleTarget,
  reading: EvidenceReading,
  tenantIds: readonly TenantId[],
): Promise<void> {
  // A bundle has each file, even if there is nothing to prove.
  for (const name of proofFiles) await target.append(name, '');
  const write = (name: BundleFile, value: object) => target.append(name, `${JSON.stringify(value)}\n`);
  let remaining = recordsMax;
  for (const tenantId of tenantIds) {
    const { older, newest } = await findEnds(reading, tenantId);
    if (newest === undefined) continue;
    await write('proofs/checkpoints.ndjson', toCheckpointJson(newest));
    if (older !== undefined && older.number < newest.number) {
      await write('proofs/checkpoints.ndjson', toCheckpointJson(older));
      const proof = await orNothing(proveConsistency(reading.log.reader, older, newest));
      if (proof !== undefined) await write('proofs/consistency.ndjson', toConsistencyJson(proof));
    }
    const limit = Math.min(recordsPerTenant, remaining);
    remaining -= await proveRecords(reading, { newest, limit }, (proof) => write('proofs/records.ndjson', proof));
  }
}

/** Returns the newest checkpoint of a tenant, and the last before the period or else the first that there is. */
async function findEnds({ database, log, period }: EvidenceReading, tenantId: TenantId) {
  const newest = await log.reader.newestCheckpoint(tenantId);
  const start = await database.forSealer((tx) => findVerificationStart(tx, tenantId, period.from));
  const older =
    start === 0
      ? await log.reader.checkpointOfSize(tenantId, 1)
      : await log.reader.checkpointBefore(tenantId, start + 1);
  return { older, newest };
}

/** Proves the newest changes of rights, and returns how many there are. */
async function proveRecords(
  { database, log, period }: EvidenceReading,
  { newest, limit }: { readonly newest: StoredCheckpoint; readonly limit: number },
  write: (proof: object) => Promise<void>,
): Promise<number> {
  if (limit <= 0) return 0;
  const { tenantId, orderTo } = newest;
  const keys = await database.forTenant(parseTenantId(tenantId), (tx) =>
    listChanges(tx, tenantId, { ...period, orderTo, limit }),
  );
  const prover = new Prover(log.reader, newest);
  for (const record of await log.reader.findRecords(tenantId, keys)) {
    const proof = await orNothing(prover.prove(record));
    if (proof !== undefined) await write(toProofJson(proof));
  }
  return keys.length;
}

/** Returns undefined where the log is damaged or dropped. The fact about the log says so. */
async function orNothing<T>(proving: Promise<T>): Promise<T | undefined> {
  return proving.catch((error: unknown) => {
    if (error instanceof UnprovableError) return undefined;
    throw error;
  });
}
