import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { NoParameters } from '../../http/parameters/query-parameters.ts';
import { timestamp, toTimestamp } from '../../http/parameters/timestamp.ts';
import type { ReachedLimits } from './reached-limits.ts';

const ReachedLimitView = Type.Object({
  scope: Type.String({ description: 'The name of the limit.' }),
  client: Type.String({ description: 'The address, or the network of an IPv6 address.' }),
  limit: Type.Integer({ description: 'How many requests the limit allows.' }),
  seconds: Type.Integer({ description: 'The time in which they are counted.' }),
  rejections: Type.Integer(),
  last_at: timestamp('When a request was last rejected.'),
  advice: Type.String({ description: 'Which setting raises the limit.' }),
});

/** Adds the route with the clients that this server rejected lately. It is for members only. */
export function addReachedLimitRoute(scope: FastifyInstance, limits: ReachedLimits): void {
  scope.get(
    '/reached-limits',
    {
      config: { permission: 'tenant:read' },
      schema: { querystring: NoParameters, response: { 200: Type.Object({ data: Type.Array(ReachedLimitView) }) } },
    },
    async ({ caller }) => {
      const reached = await limits.list(caller);
      return { data: reached.map(({ lastAt, ...rest }) => ({ ...rest, last_at: toTimestamp(lastAt) })) };
    },
  );
}
