import { type FileHandle, open } from 'node:fs/promises';
import path from 'node:path';
import { parseTenantId, type TenantId } from '../../../core/identity/ids.ts';
import { toCheckpointJson } from '../../../platform/audit/seal/checkpoint.ts';
import type { StoredCheckpoint } from '../../../platform/audit/seal/checkpoint-row.ts';
import { proveConsistency, toConsistencyJson } from '../../../platform/audit/verify/consistency-proof.ts';
import { Prover, toProofJson } from '../../../platform/audit/verify/inclusion-proof.ts';
import { UnprovableError } from '../../../platform/audit/verify/tree-replay.ts';
import type { EvidenceReading } from '../facts/fact-group.ts';
import { findVerificationStart, listChanges } from '../facts/log-store.ts';
import type { BundleFile } from './evidence-manifest.ts';

const recordsPerTenant = 200;
/** Proving a record reads a few checkpoints again, so that this many take minutes. */
const recordsMax = 5_000;

/** Writes the proofs of each tenant: its checkpoints, that the log has only grown, and the newest changes of rights. */
export async function writeProofs(
  directory: string,
  reading: EvidenceReading,
  tenantIds: readonly TenantId[],
): Promise<void> {
  const opened: FileHandle[] = [];
  const create = async (name: BundleFile) => {
    const file = await open(path.join(directory, name), 'wx', 0o600);
    opened.push(file);
    return file;
  };
  try {
    const checkpoints = await create('proofs/checkpoints.ndjson');
    const consistency = await create('proofs/consistency.ndjson');
    const records = await create('proofs/records.ndjson');
    let remaining = recordsMax;
    for (const tenantId of tenantIds) {
      const { older, newest } = await findEnds(reading, tenantId);
      if (newest === undefined) continue;
      await writeLine(checkpoints, toCheckpointJson(newest));
      if (older !== undefined && older.number < newest.number) {
        await writeLine(checkpoints, toCheckpointJson(older));
        const proof = await orNothing(proveConsistency(reading.log.reader, older, newest));
        if (proof !== undefined) await writeLine(consistency, toConsistencyJson(proof));
      }
      remaining -= await writeRecords(records, reading, { newest, limit: Math.min(recordsPerTenant, remaining) });
    }
  } finally {
    for (const file of opened) await file.close();
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

async function writeRecords(
  file: FileHandle,
  { database, log, period }: EvidenceReading,
  { newest, limit }: { readonly newest: StoredCheckpoint; readonly limit: number },
): Promise<number> {
  if (limit <= 0) return 0;
  const { tenantId, orderTo } = newest;
  const keys = await database.forTenant(parseTenantId(tenantId), (tx) =>
    listChanges(tx, tenantId, { ...period, orderTo, limit }),
  );
  const prover = new Prover(log.reader, newest);
  for (const record of await log.reader.findRecords(tenantId, keys)) {
    const proof = await orNothing(prover.prove(record));
    if (proof !== undefined) await writeLine(file, toProofJson(proof));
  }
  return keys.length;
}

async function writeLine(file: FileHandle, value: object): Promise<void> {
  await file.write(`${JSON.stringify(value)}\n`);
}

/** Returns undefined where the log is damaged or dropped. The fact about the log says so. */
async function orNothing<T>(proving: Promise<T>): Promise<T | undefined> {
  return proving.catch((error: unknown) => {
    if (error instanceof UnprovableError) return undefined;
    throw error;
  });
}
