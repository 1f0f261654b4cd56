import { readStreamStatus, type StreamStatus } from '../../features/log-streams/index.ts';
import { toTime } from '../../core/text/time-span.ts';
import type { VaultConfig } from '../../platform/config/config.ts';
import type { StreamConfig } from '../../platform/config/log-stream-config.ts';
import { openSealerDatabase } from '../wiring/vault-core.ts';
import type { Finding } from './examination.ts';

const name = 'log streams';
/** The lag at which the alert StrongroomLogStreamLate fires. */
const lagSecondsMax = 300;

/** Reports how far the configured log streams are behind, and why. */
export async function examineStreams(config: VaultConfig, streams: readonly StreamConfig[]): Promise<Finding> {
  const database = openSealerDatabase(config.database);
  try {
    const found = await readStreamStatus(database, streams);
    const isWarning = found.some(({ failure, lagSeconds }) => failure !== undefined || lagSeconds > lagSecondsMax);
    const detail = found.map(describe).join('; ');
    return isWarning
      ? { name, isOk: true, isWarning, detail, remedy: 'see docs/runbooks/log-stream-late.md' }
      : { name, isOk: true, detail };
  } catch {
    const remedy = 'run doctor where STRONGROOM_DATABASE_OWNER_URL is set';
    return { name, isOk: true, isUnknown: true, detail: 'this login cannot look into the log', remedy };
  } finally {
    await database.close();
  }
}

function describe({ name: stream, lagSeconds, failure }: StreamStatus): string {
  const lag = lagSeconds === 0 ? 'has everything' : `is ${toTime(lagSeconds)} behind`;
  return failure === undefined ? `${stream} ${lag}` : `${stream} ${lag}, because its receiver failed: ${failure}`;
}
