import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { invalidField } from '../../core/errors/domain-error.ts';
import { isUuid } from '../../core/identity/ids.ts';
import type { JsonObject } from '../../core/json/json-value.ts';
import { parsePageRequest, toPaginationView } from '../../http/parameters/pagination.ts';
import { type IdParameter, idParameter, requireUuid } from '../../http/parameters/uuid-parameter.ts';
import { keepOutcome, shownAgain } from '../../http/requests/idempotency.ts';
import { toPatchedProxy } from './patched-proxy.ts';
import { noSuchProxy } from './stored-proxy.ts';
import { storedProxyExamples } from './stored-proxy-examples.ts';
import {
  CreateProxy,
  PatchProxy,
  ProxyPage,
  ProxyQuery,
  ProxyView,
  toWantedProxy,
  UpdateProxy,
} from './stored-proxy-schemas.ts';
import { toProxyView } from './stored-proxy-view.ts';
import type { StoredProxyService } from './stored-proxy-service.ts';

const ProxyParameter = idParameter('Id of the proxy.');
const tags = ['Stored proxies'] as const;
const approvals =
  'A caller who creates or changes a proxy must be able to grant the rights of its application. The request is rejected while `approve_plaintext` of the tenant is on.';

export function addStoredProxyRoutes(app: FastifyInstance, proxies: StoredProxyService): void {
  const showAgain = shownAgain<{ id: string }>(async (caller, { id }) => toProxyView(await proxies.get(caller, id)));

  app.post<{ Body: Static<typeof CreateProxy> }>(
    '/proxies',
    {
      config: {
        permission: 'proxy:create',
        showAgain,
        problems: ['not-found'],
        examples: storedProxyExamples.createProxy,
      },
      schema: {
        operationId: 'createProxy',
        summary: 'Create a proxy',
        description: `Creates a proxy with a fixed destination. Calls to \`/proxy\` name it by its key in \`BT-PROXY-KEY\`. ${approvals}`,
        tags,
        body: CreateProxy,
        response: { 201: ProxyView },
      },
    },
    async (request, reply) => {
      const created = await proxies.create(request.caller, toWantedProxy(request.body));
      keepOutcome(reply, { id: created.proxy.id });
      return reply.code(201).send(toProxyView(created));
    },
  );

  app.get<{ Querystring: Static<typeof ProxyQuery> }>(
    '/proxies',
    {
      config: { permission: 'proxy:read', examples: storedProxyExamples.listProxies },
      schema: {
        operationId: 'listProxies',
        summary: 'List proxies',
        description: 'Returns the stored proxies of the tenant, newest first, without their secrets.',
        tags,
        querystring: ProxyQuery,
        response: { 200: ProxyPage },
      },
    },
    async (request) => {
      const page = parsePageRequest(request.query);
      const { id, name } = request.query;
      const ids = id === undefined ? undefined : [id].flat();
      if (ids !== undefined && !ids.every(isUuid)) throw invalidField('id', 'must be a UUID');
      const { totalItems, items } = await proxies.list(request.caller, { ids, name }, page);
      return { pagination: toPaginationView(page, totalItems), data: items.map(toProxyView) };
    },
  );

  app.get<{ Params: IdParameter }>(
    '/proxies/:id',
    {
      config: { permission: 'proxy:read', examples: storedProxyExamples.getProxy },
      schema: {
        operationId: 'getProxy',
        summary: 'Get a proxy',
        description: 'Returns a stored proxy, without its secrets.',
        tags,
        params: ProxyParameter,
        response: { 200: ProxyView },
      },
    },
    async (request) => toProxyView(await proxies.get(request.caller, requireUuid(request.params.id, noSuchProxy))),
  );

  app.put<{ Params: IdParameter; Body: Static<typeof UpdateProxy> }>(
    '/proxies/:id',
    {
      config: {
        permission: 'proxy:update',
        showAgain,
        problems: ['version-conflict'],
        examples: storedProxyExamples.updateProxy,
      },
      schema: {
        operationId: 'updateProxy',
        summary: 'Replace a proxy',
        description: `Replaces the settings of a proxy. Its key stays the same. ${approvals}`,
        tags,
        params: ProxyParameter,
        body: UpdateProxy,
        response: { 200: ProxyView },
      },
    },
    async (request, reply) => {
      const id = requireUuid(request.params.id, noSuchProxy);
      const wanted = toWantedProxy(request.body);
      const updated = await proxies.update(request.caller, id, () => wanted);
      keepOutcome(reply, { id });
      return toProxyView(updated);
    },
  );

  addChangeRoutes(app, proxies);
}

function addChangeRoutes(app: FastifyInstance, proxies: StoredProxyService): void {
  app.patch<{ Params: IdParameter; Body: Static<typeof PatchProxy> }>(
    '/proxies/:id',
    {
      config: {
        permission: 'proxy:update',
        mediaTypes: ['application/merge-patch+json', 'application/json'],
        showAgain: shownAgain<{ id: string }>(async (caller, { id }) => {
          await proxies.get(caller, id);
          return undefined;
        }),
        problems: ['version-conflict'],
        examples: storedProxyExamples.patchProxy,
      },
      schema: {
        operationId: 'patchProxy',
        summary: 'Change a proxy',
        description: `Changes settings of a proxy with a merge patch. ${approvals}`,
        tags,
        params: ProxyParameter,
        body: PatchProxy,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const id = requireUuid(request.params.id, noSuchProxy);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- The schema has checked that it is an object of JSON.
      const patch = request.body as unknown as JsonObject;
      await proxies.update(request.caller, id, (current) => toPatchedProxy(current, patch));
      keepOutcome(reply, { id });
      return reply.code(204).send();
    },
  );

  app.delete<{ Params: IdParameter }>(
    '/proxies/:id',
    {
      config: {
        permission: 'proxy:delete',
        hasBody: false,
        examples: storedProxyExamples.deleteProxy,
      },
      schema: {
        operationId: 'deleteProxy',
        summary: 'Delete a proxy',
        description: 'Deletes a stored proxy. Its key stops working at once.',
        tags,
        params: ProxyParameter,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await proxies.delete(request.caller, requireUuid(request.params.id, noSuchProxy));
      return reply.code(204).send();
    },
  );
}
