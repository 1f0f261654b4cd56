import { isUuid, parseTenantId } from '../../../core/identity/ids.ts';
import { membersOf } from '../../../core/objects/members-of.ts';
import type { Job } from '../../../platform/jobs/job.ts';
import { EndpointRun, type RunPace, type RunParts } from './endpoint-run.ts';
import { Wakings } from '../../../platform/jobs/wakings.ts';
import { RequestShares } from './request-shares.ts';

/**
 * The endpoints that a worker delivers to at the same time. Tenants share them (`SlotShares`). One tenant alone can use
 * a third of them, which is more than it can have endpoints.
 */
const endpointsMax = 384;

export const runPace: RunPace = { lingerMs: 5_000, sliceMs: 60_000, failingSecondsMax: 5 * 24 * 3_600 };

/**
 * Delivers the events of one endpoint. pg-boss runs it for one endpoint in one place at a time, and again if its worker
 * has died.
 */
export function deliverWebhookJob(
  parts: Omit<RunParts, 'wakings' | 'shares' | 'pace'> & { readonly pace?: Partial<RunPace> },
): Job {
  const wakings = new Wakings();
  const runParts = { ...parts, wakings, shares: new RequestShares(), pace: { ...runPace, ...parts.pace } };
  return {
    name: 'deliver-webhook',
    slots: endpointsMax,
    limitMs: 60 * 60_000,
    onNotified: () => wakings.wakeAll(),
    async run(payload, signal = new AbortController().signal) {
      const { tenant_id, webhook_id: webhookId } = membersOf(payload);
      if (typeof webhookId !== 'string' || !isUuid(webhookId)) throw new TypeError('A delivery must name its webhook.');
      await new EndpointRun(runParts, { tenantId: parseTenantId(String(tenant_id)), webhookId }, signal).run();
    },
  };
}
