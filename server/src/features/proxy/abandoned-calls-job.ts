import { recordInTransaction } from '../../platform/audit/record/audit-log.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Job } from '../../platform/jobs/job.ts';
import { closeCall, listOpenCalls, type OpenCall } from './proxy-call-store.ts';
import { proxyEvent } from './proxy-event.ts';

/** The age after which a call cannot still be in progress. */
const olderThanSeconds = 5 * 60;
const callsPerRun = 1_000;

/** Marks calls whose server died. Their start is recorded, but their outcome is unknown. It is safe to run twice. */
export function abandonedCallsJob(database: Database): Job {
  return {
    name: 'abandoned-proxy-calls',
    schedule: { everyMinutes: 1, atMinute: 0 },
    async run(_payload, signal) {
      const calls = await database.forSystem((tx) => listOpenCalls(tx, { olderThanSeconds, limit: callsPerRun }));
      for (const call of calls) {
        signal?.throwIfAborted();
        await settle(database, call);
      }
    },
  };
}

async function settle(database: Database, call: OpenCall): Promise<void> {
  await database.forTenant(call.tenantId, async (tx) => {
    const destination = await closeCall(tx, call);
    if (destination === undefined) return;
    await recordInTransaction(tx, call.tenantId, 'system', proxyEvent(call.id, 'unknown', destination));
  });
}
