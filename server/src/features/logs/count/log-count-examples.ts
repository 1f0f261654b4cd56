import { type ApiExample, invalid } from '../../../http/routes/api-examples.ts';
import { exampleIds, exampleRecordTime } from '../../../http/routes/example-values.ts';

const query = { entity_type: 'card', start_date: exampleRecordTime };
const once = (value: string) => [{ value, records: 1 }];
const values = (field: string, value?: string) => ({
  field,
  values: value === undefined ? [] : once(value),
  is_complete: true,
});
const [start, end] = ['2026-03-02T00:00:00.000Z', '2026-03-03T00:00:00.000Z'];

const endsFirst: ApiExample = {
  summary: 'A time that ends before it begins',
  status: 400,
  request: { query: { start_date: '2026-03-02', end_date: '2026-03-01' } },
  problem: invalid({ start_date: ['must be before end_date'] }),
};

export const logCountExamples = {
  countLogs: [
    {
      summary: 'Cards by day and operation',
      status: 200,
      given: 'sealed-log',
      request: { query: { ...query, interval: 'day', by: 'operation' } },
      response: {
        interval: 'day',
        from: start,
        to: end,
        by: 'operation',
        is_exact: true,
        total: 1,
        buckets: [{ start, total: 1, counts: once('create'), other: 0 }],
        top: once('create'),
        other: 0,
      },
    },
    {
      summary: 'Too many intervals',
      status: 400,
      request: { query: { start_date: '2026-01-01', end_date: '2026-07-01', interval: 'hour' } },
      problem: invalid({ start_date: ['must be at most 750 intervals before end_date'] }),
    },
    endsFirst,
  ],
  listLogFacets: [
    {
      summary: 'What happened to cards',
      status: 200,
      given: 'sealed-log',
      request: { query },
      response: {
        from: '2026-03-02T09:00:00.000Z',
        to: '2026-03-02T10:00:00.000Z',
        is_exact: true,
        fields: [
          values('entity_type', 'card'),
          values('actor_id', exampleIds.caller),
          values('actor_type', 'application'),
          values('key_id', exampleIds.callerKey),
          values('source_address', '127.0.0.1'),
          values('operation', 'create'),
          values('outcome', 'success'),
          values('transform', 'mask'),
          values('destination'),
        ],
      },
    },
    endsFirst,
  ],
} satisfies Readonly<Record<string, readonly ApiExample[]>>;
