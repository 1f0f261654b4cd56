import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { DomainError } from '../../../core/errors/domain-error.ts';
import { NoParameters } from '../../../http/parameters/query-parameters.ts';
import { timestamp } from '../../../http/parameters/timestamp.ts';
import { type IdParameter, idParameter, requireUuid } from '../../../http/parameters/uuid-parameter.ts';
import { parseDate } from '../model/log-schemas.ts';
import { type AlertAcknowledgements, acknowledgementReasons } from './alert-acknowledgement.ts';

const AlertParameter = idParameter('Id of the record with which the alert was raised.');
const AcknowledgeAlert = Type.Object(
  {
    raised_at: timestamp('When the alert was raised.'),
    reason: Type.Enum([...acknowledgementReasons], { description: 'What was found out.' }),
  },
  { additionalProperties: false },
);

/** Adds the route to acknowledge an alert. It is for members only, because a person has to look. */
export function addAlertRoutes(scope: FastifyInstance, alerts: AlertAcknowledgements): void {
  scope.post<{ Params: IdParameter; Body: Static<typeof AcknowledgeAlert> }>(
    '/alerts/:id/acknowledge',
    {
      config: { permission: 'tenant:update', isRepeatable: false, operation: 'acknowledge' },
      schema: {
        params: AlertParameter,
        querystring: NoParameters,
        body: AcknowledgeAlert,
        response: { 204: Type.Null() },
      },
    },
    async ({ caller, params, body }, reply) => {
      const alertId = requireUuid(params.id, () => new DomainError('not-found', 'There is no such alert.'));
      const { raised_at: raisedAt, reason } = body;
      await alerts.acknowledge(caller, { alertId, raisedAt: parseDate('raised_at', raisedAt), reason });
      return reply.code(204).send();
    },
  );
}
