import { parentPort, workerData } from 'node:worker_threads';
import { TenantKeyring, type TenantKeys } from '../../platform/keyring/keys/tenant-keyring.ts';
import type { RecordBatch } from '../../platform/files/record-reader.ts';
import { type IntakeSettings, TokenIntake } from '../tokens/index.ts';
import { type FileShape, RecordPreparer, type PreparedRecord } from './record-preparer.ts';

export interface ThreadSettings {
  readonly intake: IntakeSettings;
  readonly shape: FileShape;
}

export interface ThreadTask {
  /** The keys are passed with every batch, so that a new key is used starting with the next batch. */
  readonly keys: TenantKeys;
  readonly batch: RecordBatch;
}

/** The result of a thread: the records in order, or the error that stopped it. */
export type ThreadResult = { readonly prepared: readonly PreparedRecord[] } | { readonly failure: string };

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- given by the pool that started this thread.
const { intake, shape } = workerData as ThreadSettings;

async function prepareAll({ keys, batch }: ThreadTask): Promise<readonly PreparedRecord[]> {
  const keyring = new TenantKeyring(intake.tenantId, keys);
  const preparer = new RecordPreparer(new TokenIntake({ forTenant: () => Promise.resolve(keyring) }, intake), shape);
  const bytes = Buffer.from(batch.bytes.buffer);
  const now = new Date();
  const prepared: PreparedRecord[] = [];
  for (const record of batch.records) prepared.push(await preparer.prepare(bytes, record, now));
  return prepared;
}

parentPort?.on('message', (task: ThreadTask) => {
  prepareAll(task).then(
    (prepared) => parentPort?.postMessage({ prepared } satisfies ThreadResult),
    (error: unknown) =>
      parentPort?.postMessage({
        failure: error instanceof Error ? error.message : String(error),
      } satisfies ThreadResult),
  );
});
