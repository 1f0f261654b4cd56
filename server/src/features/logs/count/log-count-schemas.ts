import { Type } from 'typebox';
import { invalidField } from '../../../core/errors/domain-error.ts';
import { nameSchemas } from '../../../http/routes/api-components.ts';
import { queryParameters, wholeNumber } from '../../../http/parameters/query-parameters.ts';
import { timestamp } from '../../../http/parameters/timestamp.ts';
import { countedFields, topMax } from './log-counts.ts';
import { daysByDefault, intervals, intervalsMax } from './log-count-range.ts';
import { filterParameters } from '../model/log-schemas.ts';

const { entity_id: _entity, request_id: _request, start_date: _start, end_date: _end, ...counted } = filterParameters;
const timeParameters = {
  start_date: Type.Optional(
    Type.String({
      maxLength: 50,
      description: `ISO 8601: records from then on; the last ${daysByDefault} days by default.`,
    }),
  ),
  end_date: Type.Optional(
    Type.String({ maxLength: 50, description: 'ISO 8601: records before then; now by default.' }),
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
  entity_type: counted.entity_type,
  limit: wholeNumber({ description: 'Values per field.', default: valuesDefault, maximum: valuesMax }),
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
      description: 'Of these, how many have which value, the most frequent first.',
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
  { description: 'How many records there are over time.' },
);

const LogFieldView = Type.Object(
  {
    field: Type.Enum([...countedFields], { description: 'Name of the field, and of the filter.' }),
    values: Type.Array(ValueCountView, { description: 'The most frequent first.' }),
    is_complete: Type.Boolean({ description: 'Whether these are all values that occur.' }),
  },
  { description: 'The values of a field.' },
);

export const LogFacetView = Type.Object(
  {
    from: timestamp('Beginning of the first hour.'),
    to: timestamp('End of the last hour.'),
    fields: Type.Array(LogFieldView, { description: 'Every field that counts records.' }),
  },
  { description: 'Which values occur in the log, to filter by.' },
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
