import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { NoParameters } from '../../http/parameters/query-parameters.ts';
import { timestamp, toTimestamp } from '../../http/parameters/timestamp.ts';
import { type ApiExample, invalid } from '../../http/routes/api-examples.ts';
import { nameSchemas } from '../../http/routes/api-components.ts';
import type { FailedTask } from './failed-job-store.ts';
import type { FailedJobs } from './failed-jobs.ts';

const FailedTaskView = Type.Object(
  {
    task: Type.String({
      description:
        'What the jobs do: `deliver-webhook` delivers events, `mail-webhook` and `mail-invitation` send mail, and `purge-tenant` removes the data of a deleted tenant.',
    }),
    jobs: Type.Integer({ minimum: 1, description: 'How many failed.' }),
    last_failed_at: timestamp('When the last of them failed.'),
  },
  { description: 'Background jobs of one kind that failed at every attempt.' },
);
const FailedJobsView = Type.Object(
  { failed_jobs: Type.Array(FailedTaskView, { description: 'One entry for each kind of job, or none.' }) },
  { description: 'The background jobs of the tenant that failed at every attempt.' },
);
nameSchemas({ FailedTask: FailedTaskView, FailedJobs: FailedJobsView });

const examples: readonly ApiExample[] = [
  { summary: 'A tenant whose jobs all succeed', status: 200, response: { failed_jobs: [] } },
  {
    summary: 'An unknown parameter',
    status: 400,
    request: { query: { size: '10' } },
    problem: invalid({ querystring: ['must be empty: this endpoint takes no parameters'] }),
  },
];

export function addFailedJobRoutes(app: FastifyInstance, jobs: FailedJobs): void {
  app.get(
    '/tenants/self/failed-jobs',
    {
      config: { permission: 'tenant:read', examples },
      schema: {
        operationId: 'listFailedJobs',
        summary: 'List failed jobs',
        description:
          'Returns which background jobs of the tenant failed at every attempt, which takes about four days. An operator of the vault removes the cause and retries them at its command line.',
        tags: ['Tenant'],
        querystring: NoParameters,
        response: { 200: FailedJobsView },
      },
    },
    async ({ caller }) => toFailedJobsView(await jobs.list(caller)),
  );
}

function toFailedJobsView(tasks: readonly FailedTask[]): Static<typeof FailedJobsView> {
  return {
    failed_jobs: tasks.map(({ task, jobs, lastFailedAt }) => ({
      task,
      jobs,
      last_failed_at: toTimestamp(lastFailedAt),
    })),
  };
}
