import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { nameSchemas } from '../../http/api-components.ts';
import { PaginationView, parsePageRequest, toPaginationView } from '../../http/pagination.ts';
import { NoParameters } from '../../http/query-parameters.ts';
import {
  EntityTypeView,
  LogQuery,
  LogView,
  parseLogCursor,
  toEntityTypeViews,
  toLogCursor,
  toLogFilter,
  toLogView,
} from './log-schemas.ts';
import type { LogService } from './log-service.ts';

const LogPagination = Type.Object({ ...PaginationView.properties, next: Type.Optional(Type.String()) });
const LogPageView = Type.Object({ pagination: LogPagination, data: Type.Array(LogView) });
nameSchemas({ LogPagination, LogPage: LogPageView });

export function addLogRoutes(app: FastifyInstance, logs: LogService): void {
  app.get<{ Querystring: Static<typeof LogQuery> }>(
    '/logs',
    {
      config: { permission: 'log:read' },
      schema: { operationId: 'listLogs', tags: ['Logs'], querystring: LogQuery, response: { 200: LogPageView } },
    },
    async (request) => {
      const { caller, query } = request;
      const page = parsePageRequest(query);
      const after = parseLogCursor(query.start);
      // A cursor leads on by itself; a page number beside it would be counted twice.
      const offset = after === undefined ? (page.page - 1) * page.size : 0;
      const filter = toLogFilter(query);
      if (filter === undefined) {
        await logs.recordRead(caller);
        return { pagination: toPaginationView(page, 0), data: [] };
      }
      const { totalItems, items, hasMore } = await logs.list(caller, filter, { offset, size: page.size, after });
      const last = items.at(-1);
      const next = hasMore && last !== undefined ? { next: toLogCursor(last) } : {};
      return {
        pagination: { ...toPaginationView(page, totalItems), ...next },
        data: items.map((log) => toLogView(caller.tenantId, log)),
      };
    },
  );

  app.get(
    '/logs/entity-types',
    {
      config: { permission: 'log:read' },
      schema: {
        operationId: 'listLogEntityTypes',
        tags: ['Logs'],
        querystring: NoParameters,
        response: { 200: Type.Array(EntityTypeView) },
      },
    },
    () => toEntityTypeViews(),
  );
}
