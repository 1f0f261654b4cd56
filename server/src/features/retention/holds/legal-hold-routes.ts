import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { NoParameters } from '../../../http/parameters/query-parameters.ts';
import { type IdParameter, idParameter, requireUuid } from '../../../http/parameters/uuid-parameter.ts';
import { keepOutcome, shownAgain } from '../../../http/requests/idempotency.ts';
import { noSuchHold } from './legal-hold.ts';
import { holdExamples } from './legal-hold-examples.ts';
import { CreateHold, HoldView, toHoldEnd, toHoldScope, toHoldView } from './legal-hold-schemas.ts';
import type { LegalHoldService } from './legal-hold-service.ts';

const HoldParameter = idParameter('Id of the legal hold.');
const tags = ['Retention'] as const;
const entityType = 'legal_hold';
const reading = { permission: 'retention:read', entityType } as const;
const changing = { permission: 'retention:update', entityType } as const;

export function addLegalHoldRoutes(app: FastifyInstance, holds: LegalHoldService): void {
  const showAgain = shownAgain<{ id: string }>(async (caller, { id }) => toHoldView(await holds.get(caller, id)));

  app.post<{ Body: Static<typeof CreateHold> }>(
    '/legal-holds',
    {
      config: {
        ...changing,
        showAgain,
        problems: ['not-found'],
        examples: holdExamples.createLegalHold,
      },
      schema: {
        operationId: 'createLegalHold',
        summary: 'Set a legal hold',
        description:
          'Keeps tokens as they are: no rule, erasure, expiry or request removes or changes them while the hold is in force. They can still be read and used. Verification codes of cards are not kept. The tenant cannot be deleted either.',
        tags,
        body: CreateHold,
        response: { 201: HoldView },
      },
    },
    async ({ caller, body }, reply) => {
      const details = { reason: body.reason, endsAt: toHoldEnd(body) };
      const hold = await holds.create(caller, toHoldScope(body), details);
      keepOutcome(reply, { id: hold.id });
      return reply.code(201).send(toHoldView(hold));
    },
  );

  app.get(
    '/legal-holds',
    {
      config: { ...reading, examples: holdExamples.listLegalHolds },
      schema: {
        operationId: 'listLegalHolds',
        summary: 'List legal holds',
        description: 'Returns all legal holds in force, newest first, and after them the last hundred that are over.',
        tags,
        querystring: NoParameters,
        response: { 200: Type.Array(HoldView) },
      },
    },
    async ({ caller }) => (await holds.list(caller)).map(toHoldView),
  );

  app.get<{ Params: IdParameter }>(
    '/legal-holds/:id',
    {
      config: { ...reading, examples: holdExamples.getLegalHold },
      schema: {
        operationId: 'getLegalHold',
        summary: 'Get a legal hold',
        description: 'Returns a legal hold, with its reason and its end.',
        tags,
        params: HoldParameter,
        response: { 200: HoldView },
      },
    },
    async ({ caller, params }) => toHoldView(await holds.get(caller, requireUuid(params.id, noSuchHold))),
  );

  app.post<{ Params: IdParameter }>(
    '/legal-holds/:id/lift',
    {
      config: {
        ...changing,
        hasBody: false,
        showAgain,
        problems: ['not-found'],
        examples: holdExamples.liftLegalHold,
      },
      schema: {
        operationId: 'liftLegalHold',
        summary: 'Lift a legal hold',
        description:
          'Ends a legal hold. Tokens that have expired in the meantime are removed by the next sweep. If the tenant requires approvals, the response is 202, and the hold stays in force until the request is approved.',
        tags,
        params: HoldParameter,
        response: { 200: HoldView, 202: HoldView },
      },
    },
    async ({ caller, params }, reply) => {
      const { hold, isPending } = await holds.lift(caller, requireUuid(params.id, noSuchHold));
      keepOutcome(reply, { id: hold.id });
      return reply.code(isPending ? 202 : 200).send(toHoldView(hold));
    },
  );
}
