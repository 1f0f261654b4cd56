import { type ApiExample, invalid } from '../../../http/routes/api-examples.ts';
import { exampleLaterTime } from '../../../http/routes/example-values.ts';
import { exampleCheckpoint, examplePublicKey } from './log-proof-examples.ts';

export const logSealExamples = {
  getLogSeal: [
    {
      summary: 'Everything is sealed',
      status: 200,
      given: 'sealed-log',
      response: {
        checkpoint: exampleCheckpoint,
        waiting: { records: 0, is_exact: true },
        worker: { is_running: true, looked_at: exampleLaterTime },
        public_keys: [{ version: 1, public_key: examplePublicKey }],
      },
    },
    {
      summary: 'An unknown parameter',
      status: 400,
      request: { query: { size: '10' } },
      problem: invalid({ querystring: ['must be empty: this endpoint takes no parameters'] }),
    },
  ],
} satisfies Readonly<Record<string, readonly ApiExample[]>>;
