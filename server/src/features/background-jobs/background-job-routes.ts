import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { NoParameters } from '../../http/parameters/query-parameters.ts';
import type { BackgroundJobs } from './background-jobs.ts';

const TaskView = Type.Object({
  task: Type.String(),
  is_of_tenant: Type.Boolean({ description: 'Whether the jobs belong to the tenant, or to no tenant at all.' }),
  waiting: Type.Integer(),
  running: Type.Integer(),
  lag_seconds: Type.Number({ description: 'For how long the oldest due job has been waiting for a worker.' }),
});

/** Adds the route with the background jobs that a tenant may know of. It is for members only. */
export function addBackgroundJobRoute(scope: FastifyInstance, jobs: BackgroundJobs): void {
  scope.get(
    '/background-jobs',
    {
      config: { permission: 'tenant:read' },
      schema: { querystring: NoParameters, response: { 200: Type.Object({ data: Type.Array(TaskView) }) } },
    },
    async ({ caller }) => {
      const tasks = await jobs.list(caller);
      return {
        data: tasks.map(({ task, isOfTenant, waiting, running, lagSeconds }) => ({
          task,
          is_of_tenant: isOfTenant,
          waiting,
          running,
          lag_seconds: lagSeconds,
        })),
      };
    },
  );
}
