import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import type { TenantId } from '../../core/identity/ids.ts';
import { nameSchemas } from '../../http/api-components.ts';
import { PaginationView, parsePageRequest, toPaginationView } from '../../http/pagination.ts';
import { NoParameters } from '../../http/query-parameters.ts';
import { whenOver } from '../../http/request-end.ts';
import { type ExportSlot, ExportSlots } from './export-slots.ts';
import type { Log } from './log.ts';
import { toCsv } from './log-csv.ts';
import { type LogJson, toNdjson } from './log-ndjson.ts';
import {
  EntityTypeView,
  LogExportQuery,
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

const mediaTypes = { csv: 'text/csv; charset=utf-8', ndjson: 'application/ndjson' } as const;
const exportDescription = `Every record that fits the filters, newest first, as JSON lines or CSV. The body is streamed as it is
read. With \`ndjson\` the last line is \`{"end":true,"records":…}\`; a file without it is incomplete. If reading fails on the way, the
connection breaks off before the end of the body, whatever the format. In CSV a cell that begins with \`=\`, \`+\`, \`-\`, \`@\`, a tab or a
carriage return has an apostrophe in front, so that no spreadsheet takes it for a formula.`;

export function addLogRoutes(app: FastifyInstance, logs: LogService): void {
  const slots = new ExportSlots('log exports');

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
        await logs.recordRead(caller, filter);
        return { pagination: toPaginationView(page, 0), data: [] };
      }
      const { totalItems, items, next } = await logs.list(caller, filter, { offset, size: page.size, after });
      return {
        pagination: {
          ...toPaginationView(page, totalItems),
          ...(next === undefined ? {} : { next: toLogCursor(next) }),
        },
        data: items.map((log) => toLogView(caller.tenantId, log)),
      };
    },
  );

  app.get<{ Querystring: Static<typeof LogExportQuery> }>(
    '/logs/export',
    {
      config: {
        permission: 'log:read',
        rateLimit: 'log-export',
        problems: ['too-many-calls'],
        responseMediaTypes: ['application/ndjson', 'text/csv'],
      },
      schema: {
        operationId: 'exportLogs',
        tags: ['Logs'],
        description: exportDescription,
        querystring: LogExportQuery,
        response: { 200: Type.String({ description: 'Every record that fits the filters, newest first.' }) },
      },
    },
    async (request, reply) => {
      const { caller, query } = request;
      const format = query.format ?? 'ndjson';
      const filter = toLogFilter(query);
      const slot = slots.take(caller.tenantId);
      whenOver(request, reply.raw, () => slot.end());
      await logs.recordRead(caller, filter);
      const views = filter === undefined ? [] : viewsOf(caller.tenantId, logs.listAll(caller, filter), slot);
      const lines = await begin(format === 'csv' ? toCsv(views) : toNdjson(views));
      return reply
        .type(mediaTypes[format])
        .header('content-disposition', `attachment; filename="logs.${format}"`)
        .send(Readable.from(lines, { objectMode: false }));
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

async function* viewsOf(
  tenantId: TenantId,
  pages: AsyncGenerator<readonly Log[]>,
  slot: ExportSlot,
): AsyncGenerator<LogJson[]> {
  for (;;) {
    const { done, value } = await slot.read(() => pages.next());
    if (done === true) return;
    yield value.map((log) => toLogView(tenantId, log));
  }
}

/** Waits for the first piece: what fails until then is still refused with a status. */
async function begin(pieces: AsyncGenerator<string>): Promise<AsyncGenerator<string>> {
  const first = await pieces.next();
  return (async function* all() {
    if (first.done !== true) yield first.value;
    yield* pieces;
  })();
}
