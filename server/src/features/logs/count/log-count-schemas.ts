import { Type } from 'typebox';
import { invalidField } from '../../../core/errors/domain-error.ts';
import { nameSchemas } from '../../../http/routes/api-components.ts';
import { queryParameters, wholeNumber } from '../../../http/parameters/query-parameters.ts';
import { timestamp } from '../../../http/parameters/timestamp.ts';
import { countedFields, filteredRecordsMax } from './filtered-values.ts';
import { topMax } from './log-counts.ts';
import { daysByDefault, intervals, intervalsMax } from './log-count-range.ts';
import { filterParameters } from '../model/log-schemas.ts';

const { start_date: _start, end_date: _end, ...filters } = filterParameters;
const { entity_id: _entity, request_id: _request, exclude: _exclude, ...counted } = filters;
const timeParameters = {
  start_date: Type.Optional(
    Type.String({
      maxLength: 50,
      description: `Counts records from this time on (ISO 8601). The default is ${daysByDefault} days ago.`,
    }),
  ),
  end_date: Type.Optional(
    Type.String({ maxLength: 50, description: 'Counts records before this time (ISO 8601). The default is now.' }),
  ),
};

export const LogCountQuery = queryParameters({
  interval: Type.Optional(
    Type.Enum([...intervals], {
      description: `Length of an interval, in UTC. By default \`hour\` for up to ${daysByDefault} days and \`day\` for more. At most
${intervalsMax} intervals.`,
    }),
  ),
  by: Type.Optional(Type.Enum([...countedFields], { description: 'The field to count by; `outcome` by default.' })),
  ...counted,
  ...timeParameters,
});

const valuesDefault = 10;
const valuesMax = 50;
export const LogFacetQuery = queryParameters({
  ...filters,
  limit: wholeNumber({
    description: 'The maximum number of values per field.',
    default: valuesDefault,
    maximum: valuesMax,
  }),
  ...timeParameters,
});

const count = (description: string) => Type.Integer({ minimum: 0, description });

const ValueCountView = Type.Object(
  { value: Type.String({ description: 'A value of the field.' }), records: count('How many records have it.') },
  { description: 'How often a value occurs.' },
);
const others = 'How many records have another value, or none.';

const LogBucketView = Type.Object(
  {
    start: timestamp('When the interval begins.'),
    total: count('How many records there are.'),
    counts: Type.Array(ValueCountView, {
      description: 'How many of these records have each value, the most frequent first.',
    }),
    other: count(others),
  },
  { description: 'The records of an interval.' },
);

const widened = { from: timestamp('Where the first interval begins.'), to: timestamp('Where the last interval ends.') };

export const LogCountView = Type.Object(
  {
    interval: Type.Enum([...intervals], { description: 'Length of an interval.' }),
    ...widened,
    by: Type.Enum([...countedFields], {
      description:
        'The field that values are of. With one filter on another field than asked for, it is the field of that filter.',
    }),
    is_exact: Type.Boolean({
      description: `False if totals are an upper bound, because there are filters on several fields; if there are so many values that
not all were compared; or if counting is behind the log.`,
    }),
    total: count('How many records there are in all intervals.'),
    buckets: Type.Array(LogBucketView, { description: 'Every interval, oldest first, even without records.' }),
    top: Type.Array(ValueCountView, {
      maxItems: topMax,
      description: `The most frequent values in all intervals, at most ${topMax}. Intervals list no others.`,
    }),
    other: count(others),
  },
  { description: 'The number of records over time.' },
);

const LogFieldView = Type.Object(
  {
    field: Type.Enum([...countedFields], { description: 'Name of the field, and of the filter.' }),
    values: Type.Array(ValueCountView, { description: 'The values, the most frequent first.' }),
    is_complete: Type.Boolean({ description: 'Whether the list contains all values that occur.' }),
  },
  { description: 'The values of a field.' },
);

export const LogFacetView = Type.Object(
  {
    from: timestamp('Beginning of the first hour.'),
    to: timestamp('End of the last hour.'),
    is_exact: Type.Boolean({
      description: `False if the numbers are lower bounds: with filters, only the newest ${filteredRecordsMax} records that match are read.`,
    }),
    fields: Type.Array(LogFieldView, { description: 'Every field that counts records.' }),
  },
  { description: 'The values that occur in the log, for filters.' },
);

nameSchemas({
  LogValueCount: ValueCountView,
  LogBucket: LogBucketView,
  LogCounts: LogCountView,
  LogFieldValues: LogFieldView,
  LogFacets: LogFacetView,
});

export function parseLimit(text: string | undefined): number {
  if (text === undefined) return valuesDefault;
  const limit = /^[1-9]\d?$/.test(text) ? Number(text) : Number.NaN;
  if (!(limit <= valuesMax)) throw invalidField('limit', `must be a whole number from 1 to ${valuesMax}`);
  return limit;
}
