import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import type { TenantId } from '../../../core/identity/ids.ts';
import { nameSchemas } from '../../../http/routes/api-components.ts';
import { PaginationView, parsePageRequest, toPaginationView } from '../../../http/parameters/pagination.ts';
import { NoParameters } from '../../../http/parameters/query-parameters.ts';
import { toTimestamp } from '../../../http/parameters/timestamp.ts';
import { whenOver } from '../../../http/connections/current-requests.ts';
import type { ExportSlot } from '../export/export-slots.ts';
import type { Log } from '../model/log.ts';
import { toCsv } from '../export/log-csv.ts';
import { type LogJson, toNdjson } from '../export/log-ndjson.ts';
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
} from '../model/log-schemas.ts';
import type { LogService } from './log-service.ts';
import { logExamples } from './log-examples.ts';

const LogPagination = Type.Object(
  {
    ...PaginationView.properties,
    is_exact: Type.Boolean({
      description: `False if counting was cut short: there are at least \`total_items\`. Totals of several filters are counted for a
second and up to 10000.`,
    }),
    next: Type.Optional(
      Type.String({ description: 'Send it as `start` to get the following page. Absent on the last one.' }),
    ),
    stopped_at: Type.Optional(
      Type.String({
        format: 'date-time',
        description: `Present if the filters match so rarely that the search was cut short after two seconds: everything from this time
on has been searched. The page may be short or empty; \`next\` goes on from here.`,
      }),
    ),
  },
  { description: 'The position of a page in the log, and how to get the next one.' },
);
const LogPageView = Type.Object(
  { pagination: LogPagination, data: Type.Array(LogView, { description: 'The records of the page, newest first.' }) },
  { description: 'A page of the log.' },
);
nameSchemas({ LogPagination, LogPage: LogPageView });

const mediaTypes = { csv: 'text/csv; charset=utf-8', ndjson: 'application/ndjson' } as const;
const exportDescription = `Every record that fits the filters, newest first, as JSON lines or CSV. The body is streamed as it is
read. With \`ndjson\` the last line is \`{"end":true,"records":…}\`; a file without it is incomplete. If reading fails on the way, the
connection breaks off before the end of the body, whatever the format. In CSV a cell that begins with \`=\`, \`+\`, \`-\`, \`@\` (or a
full-width form of these), a tab or a line end has an apostrophe in front, so that no spreadsheet takes it for a formula.`;

export function addLogRoutes(app: FastifyInstance, logs: LogService): void {
  app.get<{ Querystring: Static<typeof LogQuery> }>(
    '/logs',
    {
      config: { permission: 'log:read', examples: logExamples.listLogs },
      schema: {
        operationId: 'listLogs',
        summary: 'List log records',
        description:
          'Returns audit records that match all given filters, newest first. Reading the log is recorded, too.',
        tags: ['Logs'],
        querystring: LogQuery,
        response: { 200: LogPageView },
      },
    },
    async (request) => {
      const { caller, query } = request;
      const page = parsePageRequest(query);
      const after = parseLogCursor(query.start);
      // A cursor already contains the position, so a page number next to it is ignored.
      const offset = after === undefined ? (page.page - 1) * page.size : 0;
      const filter = toLogFilter(query);
      if (filter === undefined) {
        await logs.recordRead(caller, filter);
        return { pagination: { ...toPaginationView(page, 0), is_exact: true }, data: [] };
      }
      const slice = { offset, size: page.size, after };
      const { totalItems, isExact, items, next, stoppedAt } = await logs.list(caller, filter, slice);
      return {
        pagination: {
          ...toPaginationView(page, totalItems),
          is_exact: isExact,
          ...(next === undefined ? {} : { next: toLogCursor(next) }),
          ...(stoppedAt === undefined ? {} : { stopped_at: toTimestamp(stoppedAt) }),
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
        moreTimeFor: 'log-reading',
        problems: ['too-many-calls'],
        responseMediaTypes: ['application/ndjson', 'text/csv'],
        examples: logExamples.exportLogs,
      },
      schema: {
        operationId: 'exportLogs',
        summary: 'Export log records',
        tags: ['Logs'],
        description: exportDescription,
        querystring: LogExportQuery,
        response: { 200: Type.String({ description: 'Every record that matches the filters, newest first.' }) },
      },
    },
    async (request, reply) => {
      const { caller, query } = request;
      const format = query.format ?? 'ndjson';
      const filter = toLogFilter(query);
      const slot = logs.exportSlots.take(caller.tenantId);
      whenOver(request, reply.raw, () => slot.end());
      await logs.recordDownload(caller, filter);
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
      config: { permission: 'log:read', examples: logExamples.listLogEntityTypes },
      schema: {
        operationId: 'listLogEntityTypes',
        summary: 'List entity types',
        description: 'Returns the kinds of things that audit records are about, for the filter `entity_type`.',
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

/** Waits for the first chunk, so that a failure before it still results in an error status. */
async function begin(pieces: AsyncGenerator<string>): Promise<AsyncGenerator<string>> {
  const first = await pieces.next();
  return (async function* all() {
    if (first.done !== true) yield first.value;
    yield* pieces;
  })();
}
