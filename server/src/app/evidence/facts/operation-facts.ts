import type { FactDefinition } from '../../../core/evidence/fact.ts';
import { counted } from '../../../core/text/counted.ts';
import { countedRows, type FactGroup, listedRows, readOnVault, setting } from './fact-group.ts';
import { countFailedJobs, countVaultJobs, findFailingWebhooks } from './operation-store.ts';

const lateMinutes = 30;

const dead: FactDefinition = {
  id: 'failed-jobs',
  row: 'failures-noticed',
  foundBy: 'background jobs that failed at every attempt and wait for an operator',
  proof: readOnVault,
  figure: { jobs: 'sum' },
  weight: 'attention',
  holds: () => 'No background job has failed at every attempt.',
  found: ({ jobs = 0 }) => `Failed at every attempt: ${counted(jobs, 'background job')}.`,
  remedy: 'remove the cause, then run `strongroom jobs retry` (docs/runbooks/job-dead.md)',
};

const late: FactDefinition = {
  id: 'late-jobs',
  row: 'failures-noticed',
  foundBy: `background jobs that have been due for more than ${lateMinutes} minutes, such as sweeps`,
  proof: readOnVault,
  figure: { jobs: 'sum' },
  weight: 'attention',
  holds: () => `No background job has been due for more than ${lateMinutes} minutes.`,
  found: ({ jobs = 0 }) => `Due for more than ${lateMinutes} minutes: ${counted(jobs, 'background job')}.`,
  remedy: 'see that `strongroom work` runs (docs/runbooks/no-worker.md, docs/runbooks/job-waiting.md)',
};

const webhooks: FactDefinition = {
  id: 'failing-webhooks',
  row: 'failures-noticed',
  foundBy: 'webhooks that have been failing for more than a day, or were disabled because they failed',
  proof: readOnVault,
  figure: { webhooks: 'sum' },
  weight: 'attention',
  holds: () => 'No webhook has been failing for more than a day.',
  found: ({ webhooks: count = 0 }) => `Failing for more than a day, or disabled for it: ${counted(count, 'webhook')}.`,
  remedy: 'repair the endpoint, then resend what it missed (docs/runbooks/webhooks-late.md), or delete the webhook',
};

/** Parts of the vault that have stopped working. */
export const operationFacts: FactGroup = {
  name: 'operation',
  facts: [dead, late, webhooks],
  readVault: async ({ database, onlyTenant }) => {
    const found = await database.forWorker((tx) => countVaultJobs(tx, { lateMinutes, onlyTenant }));
    return {
      [dead.id]: { ...setting('jobs', found.dead > 0, { jobs: found.dead }), affectedTotal: found.dead },
      [late.id]: { ...setting('jobs', found.late > 0, { jobs: found.late }), affectedTotal: found.late },
    };
  },
  readTenant: async ({ database }, tenantId) => {
    const jobs = await database.forTenant(tenantId, countFailedJobs);
    const failing = await database.forTenant(tenantId, (tx) => findFailingWebhooks(tx, tenantId));
    return {
      [dead.id]: countedRows(tenantId, { jobs }, jobs),
      [webhooks.id]: {
        ...listedRows(tenantId, 'webhook', failing.ids, { webhooks: failing.total }),
        affectedTotal: failing.total,
      },
    };
  },
};
