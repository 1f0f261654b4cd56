import { type ApiExample, invalid } from '../../http/routes/api-examples.ts';
import { exampleIds, exampleTime } from '../../http/routes/example-values.ts';

const tooLong: ApiExample = {
  summary: 'More than 92 days',
  status: 400,
  request: { query: { start_date: '2026-01-01', end_date: '2026-07-01' } },
  problem: invalid({ start_date: ['must be at most 92 days before end_date'] }),
};

const period = { start_date: '2025-12-01T09:41:27.318Z', kept_since: '2025-12-01T00:00:00.000Z' };
const once = { count: 1, first_at: exampleTime, last_at: exampleTime };
const shown = { transform: 'mask', operations: ['create'], ways: [], destinations: [] };

export const exposureExamples = {
  getExposure: [
    {
      summary: 'What an application saw',
      status: 200,
      request: { query: { application_id: exampleIds.caller } },
      response: {
        ...period,
        records: 4,
        tokens_seen: { reveal: 0, mask: 2, redact: 0 },
        tokens: [
          { token_id: exampleIds.person, token_type: 'token', ...shown, ...once },
          { token_id: exampleIds.card, token_type: 'card', ...shown, ...once },
        ],
        calls: [],
        searches: [],
        misses: [],
        denied: [],
        sessions: [],
        handed_out: [],
        others: [
          { entity_type: 'application', operation: 'read', outcome: 'success', ...once },
          { entity_type: 'token_intent', operation: 'create', outcome: 'success', ...once },
        ],
      },
    },
    { ...tooLong, request: { query: { application_id: exampleIds.caller, ...tooLong.request?.query } } },
  ],
  listTokenViewers: [
    {
      summary: 'Who saw a card',
      status: 200,
      request: { query: { token_id: exampleIds.card } },
      response: {
        ...period,
        records: 1,
        viewers: [
          {
            actor_type: 'application',
            actor_id: exampleIds.caller,
            key_id: exampleIds.callerKey,
            ...shown,
            exports: [],
            source_addresses: ['127.0.0.1'],
            ...once,
          },
        ],
        others: [],
      },
    },
    { ...tooLong, request: { query: { token_id: exampleIds.card, ...tooLong.request?.query } } },
  ],
} satisfies Readonly<Record<string, readonly ApiExample[]>>;
