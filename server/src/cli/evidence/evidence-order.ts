import type { EvidenceOrder } from '../../app/evidence/take-evidence.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import { processEnvironment, readLogConfig, readLogStreams } from '../../platform/config/config.ts';
import { printError } from '../terminal/output.ts';
import { Progress } from '../terminal/progress.ts';

interface Asked {
  readonly tenant?: TenantId;
  readonly from?: Date;
  readonly to?: Date;
  /** The version of the program, which every command knows. */
  readonly version: string | undefined;
  readonly isText: boolean;
}

/** Returns what to read, with progress on standard error, and a function that ends the display. */
export function toEvidenceOrder({ tenant, from, to = new Date(), version = '', isText }: Asked): {
  readonly order: EvidenceOrder;
  readonly end: () => void;
} {
  const period = { from: from ?? yearBefore(to), to };
  if (period.from >= period.to) throw new Error('--from must be before --to.');
  const environment = processEnvironment();
  const progress = new Progress('Collecting facts', isText);
  const reading = new Progress('Verifying records', isText);
  let records = 0;
  const order = {
    config: readLogConfig(environment),
    streams: readLogStreams(environment),
    environment,
    version,
    tenantId: tenant,
    period,
    onStep: progress.update.bind(progress),
    onRecords: (verified: number) => {
      records += verified;
      reading.update(records, undefined);
    },
    onFailure: (group: string, error: Error) =>
      printError(new Error(`Facts about ${group} could not be read.`, { cause: error }), !isText),
  };
  return { order, end: () => progress.end() };
}

function yearBefore(time: Date): Date {
  const before = new Date(time);
  before.setUTCFullYear(before.getUTCFullYear() - 1);
  return before;
}
