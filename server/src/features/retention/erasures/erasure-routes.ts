import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import type { Caller } from '../../../core/identity/caller.ts';
import { parsePageRequest, toPaginationView } from '../../../http/parameters/pagination.ts';
import { NoParameters } from '../../../http/parameters/query-parameters.ts';
import { type IdParameter, idParameter, requireUuid } from '../../../http/parameters/uuid-parameter.ts';
import { keepOutcome, shownAgain } from '../../../http/requests/idempotency.ts';
import { noSuchErasure } from './erasure.ts';
import { erasureExamples } from './erasure-examples.ts';
import type { ErasureReceipts } from './erasure-receipts.ts';
import {
  ConfirmErasure,
  CreateErasure,
  ErasurePage,
  ErasureQuery,
  ErasureView,
  toErasureView,
  toSelection,
} from './erasure-schemas.ts';
import type { ErasureService, Requester } from './erasure-service.ts';

const ErasureParameter = idParameter('Id of the erasure.');
const tags = ['Retention'] as const;
/** An erasure finds tokens as a search does, and deletes them. */
const rights = { permission: 'token:delete', alsoNeeds: ['token:search'], entityType: 'erasure' } as const;

export function addErasureRoutes(
  app: FastifyInstance,
  { erasures, receipts }: { readonly erasures: ErasureService; readonly receipts: ErasureReceipts },
): void {
  const showAgain = shownAgain<{ id: string }>(async (caller, { id }) =>
    toErasureView(await erasures.get(by(caller), id)),
  );

  app.post<{ Body: Static<typeof CreateErasure> }>(
    '/erasures',
    {
      config: { ...rights, showAgain, problems: ['not-found'], examples: erasureExamples.createErasure },
      schema: {
        operationId: 'createErasure',
        summary: 'Count tokens to erase',
        description:
          'Counts the tokens of an erasure, at most a million. Nothing is removed before the erasure is confirmed. Only tokens count that the caller may both find and delete; `is_limited` says whether there may be others. Needs `token:search` as well. Sessions cannot erase.',
        tags,
        body: CreateErasure,
        response: { 201: ErasureView },
      },
    },
    async ({ caller, body }, reply) => {
      const erasure = await erasures.create(by(caller), toSelection(body));
      keepOutcome(reply, { id: erasure.id });
      return reply.code(201).send(toErasureView(erasure));
    },
  );

  app.post<{ Params: IdParameter; Body: Static<typeof ConfirmErasure> }>(
    '/erasures/:id/confirm',
    {
      config: { ...rights, showAgain, problems: ['not-found'], examples: erasureExamples.confirmErasure },
      schema: {
        operationId: 'confirmErasure',
        summary: 'Confirm an erasure',
        description:
          'Has a worker remove the tokens, each as `DELETE /tokens/{id}` would. It is refused if more tokens match by now than are confirmed, and stops if more match later: no more are removed than were confirmed, a million at most. Tokens that are created after the confirmation are not erased. If the tenant requires approvals, somebody else has to approve it first. Only the requester who counted the tokens can confirm them.',
        tags,
        params: ErasureParameter,
        body: ConfirmErasure,
        response: { 202: ErasureView },
      },
    },
    async ({ caller, params, body }, reply) => {
      const id = requireUuid<string>(params.id, noSuchErasure);
      const erasure = await erasures.confirm(by(caller), id, body.confirmed_tokens);
      keepOutcome(reply, { id });
      return reply.code(202).send(toErasureView(erasure));
    },
  );

  app.post<{ Params: IdParameter }>(
    '/erasures/:id/cancel',
    {
      config: {
        ...rights,
        hasBody: false,
        showAgain,
        problems: ['not-found'],
        examples: erasureExamples.cancelErasure,
      },
      schema: {
        operationId: 'cancelErasure',
        summary: 'Cancel an erasure',
        description: 'Ends an erasure that is not finished. What it has removed stays removed, and it gets no receipt.',
        tags,
        params: ErasureParameter,
        response: { 200: ErasureView },
      },
    },
    async ({ caller, params }, reply) => {
      const id = requireUuid<string>(params.id, noSuchErasure);
      const erasure = await erasures.cancel(by(caller), id);
      keepOutcome(reply, { id });
      return reply.send(toErasureView(erasure));
    },
  );

  app.get<{ Querystring: Static<typeof ErasureQuery> }>(
    '/erasures',
    {
      config: { ...rights, examples: erasureExamples.listErasures },
      schema: {
        operationId: 'listErasures',
        summary: 'List erasures',
        description: 'Returns erasures, newest first. An application sees its own, members of the tenant see all.',
        tags,
        querystring: ErasureQuery,
        response: { 200: ErasurePage },
      },
    },
    async ({ caller, query }) => {
      const page = parsePageRequest(query);
      const { items, totalItems } = await erasures.list(by(caller), page);
      return { pagination: toPaginationView(page, totalItems), data: items.map(toErasureView) };
    },
  );

  app.get<{ Params: IdParameter }>(
    '/erasures/:id',
    {
      config: { ...rights, examples: erasureExamples.getErasure },
      schema: {
        operationId: 'getErasure',
        summary: 'Get an erasure',
        description: 'Returns an erasure with its progress.',
        tags,
        params: ErasureParameter,
        response: { 200: ErasureView },
      },
    },
    async ({ caller, params }) => toErasureView(await erasures.get(by(caller), requireUuid(params.id, noSuchErasure))),
  );

  app.get<{ Params: IdParameter }>(
    '/erasures/:id/receipt',
    {
      config: {
        ...rights,
        moreTimeFor: 'log-reading',
        responseMediaTypes: ['text/plain'],
        examples: erasureExamples.getErasureReceipt,
      },
      schema: {
        operationId: 'getErasureReceipt',
        summary: 'Get the receipt of an erasure',
        description:
          'Returns the signed receipt of a finished erasure: what was selected, how many tokens were removed, the record of each removal, the proof that all of them are in the sealed log, and until when backups have the tokens. `strongroom tokens receipt verify` checks it without the vault. It contains no values.',
        tags,
        params: ErasureParameter,
        querystring: NoParameters,
        response: { 200: Type.String({ description: 'The receipt.' }) },
      },
    },
    async ({ caller, params }, reply) => {
      const id = requireUuid<string>(params.id, noSuchErasure);
      const parts = await receipts.read(by(caller), id);
      return reply
        .type('text/plain; charset=utf-8')
        .header('content-disposition', `attachment; filename="erasure-${id}.receipt"`)
        .send(Readable.from(parts, { objectMode: false }));
    },
  );
}

function by(caller: Caller): Requester {
  return { tenantId: caller.tenantId, actor: caller, grants: caller.grants };
}
