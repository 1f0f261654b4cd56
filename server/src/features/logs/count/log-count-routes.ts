import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import { toTimestamp } from '../../../http/parameters/timestamp.ts';
import { logCountExamples } from './log-count-examples.ts';
import { type CountRange, listStarts, toCountRange, toWholeHours } from './log-count-range.ts';
import { LogCountQuery, LogCountView, LogFacetQuery, LogFacetView, parseLimit } from './log-count-schemas.ts';
import { countedFields, type ListedValues } from './filtered-values.ts';
import type { CountBucket, LogCounts, LogTally } from './log-counts.ts';
import { parseDate, toLogFilter } from '../model/log-schemas.ts';
import type { LogService } from '../list/log-service.ts';
import type { ValueCount } from './log-tally-store.ts';

const countDescription = `Returns how many audit records there are in each hour or day, and how many of them have which value of a
field. Numbers come from counters, a few seconds after the fact, and cost the same however long the log is. The time is widened to
whole intervals.

Without filters, or with filters on the time and \`entity_type\` only, everything is exact. Counters know one field at a time: with
one filter, totals are exact and \`counts\` has one entry, for the value of that filter, unless you count by \`entity_type\`. With
filters on several fields a total is the smallest of their counts, so there may be fewer records; \`is_exact\` is false.`;
const facetDescription = `Returns the most frequent values of every field that counts records, for a list of filters to choose from.
The time is widened to whole hours. Without filters, or with filters on the time and \`entity_type\` only, numbers come from counters,
a few seconds after the fact. With other filters, the newest matching records are counted. The values of a field that is filtered
are those that the other filters leave, so that another one can be chosen.`;

export function addLogCountRoutes(
  app: FastifyInstance,
  { counts, logs }: { counts: LogCounts; logs: LogService },
): void {
  app.get<{ Querystring: Static<typeof LogCountQuery> }>(
    '/logs/counts',
    {
      config: { permission: 'log:read', examples: logCountExamples.countLogs },
      schema: {
        operationId: 'countLogs',
        summary: 'Count log records',
        description: countDescription,
        tags: ['Logs'],
        querystring: LogCountQuery,
        response: { 200: LogCountView },
      },
    },
    async ({ caller, query }) => {
      const { by = 'outcome', interval } = query;
      const range = toCountRange({ ...toDates(query), interval });
      const filter = toLogFilter(query);
      const tally = filter === undefined ? noRecords(by, range) : await counts.count(caller, filter, { by, range });
      await logs.recordRead(caller, filter);
      return toCountView(range, tally);
    },
  );

  app.get<{ Querystring: Static<typeof LogFacetQuery> }>(
    '/logs/facets',
    {
      config: { permission: 'log:read', examples: logCountExamples.listLogFacets },
      schema: {
        operationId: 'listLogFacets',
        summary: 'List values in the log',
        description: facetDescription,
        tags: ['Logs'],
        querystring: LogFacetQuery,
        response: { 200: LogFacetView },
      },
    },
    async ({ caller, query }) => {
      const limit = parseLimit(query.limit);
      const range = toWholeHours(toDates(query));
      const filter = toLogFilter(query);
      const { fields, isExact } =
        filter === undefined ? noValues : await counts.listValues(caller, filter, { range, limit });
      await logs.recordRead(caller, filter);
      return {
        ...toTimes(range),
        is_exact: isExact,
        fields: fields.map(({ field, values, isComplete }) => ({
          field,
          values: [...values],
          is_complete: isComplete,
        })),
      };
    },
  );
}

const noValues: ListedValues = {
  fields: countedFields.map((field) => ({ field, values: [], isComplete: true })),
  isExact: true,
};

function toDates(query: { readonly start_date?: string; readonly end_date?: string }) {
  return { from: parseDate('start_date', query.start_date), to: parseDate('end_date', query.end_date) };
}

function toTimes({ from, to }: CountRange) {
  return { from: toTimestamp(new Date(from)), to: toTimestamp(new Date(to)) };
}

function noRecords(by: LogTally['by'], range: CountRange): LogTally {
  const buckets = listStarts(range).map((start) => ({ start, total: 0, counts: [] }));
  return { by, isExact: true, buckets, top: [] };
}

function toCountView(range: CountRange, { by, isExact, buckets, top }: LogTally): Static<typeof LogCountView> {
  const total = buckets.reduce((sum, bucket) => sum + bucket.total, 0);
  return {
    interval: range.interval,
    ...toTimes(range),
    by,
    is_exact: isExact,
    total,
    buckets: buckets.map(toBucketView),
    top: [...top],
    other: rest(total, top),
  };
}

function toBucketView({ start, total, counts }: CountBucket) {
  return { start: toTimestamp(new Date(start)), total, counts: [...counts], other: rest(total, counts) };
}

function rest(total: number, counts: readonly ValueCount[]): number {
  return Math.max(
    0,
    counts.reduce((left, { records }) => left - records, total),
  );
}
