import { type ApiExample, invalid } from '../../../http/routes/api-examples.ts';
import { exampleIds, exampleLaterTime, exampleRecordTime } from '../../../http/routes/example-values.ts';

const path = { id: exampleIds.log };
const query = { created_at: exampleRecordTime };

export const examplePublicKey = 'OLWSp4w8ZtIqN6hPg3g3nbH4NTV80Ph+PJL6DsmKUzs=';
export const exampleCheckpoint = {
  tenant_id: exampleIds.tenant,
  number: 1,
  tree_size: 15,
  month: '2026-03-01',
  order_to: '1133',
  root: '/FQyoVIOR+fw3Zlwzpxm6rHVFFT+VVs/ZZ+dcYiK2FA=',
  sealed_at: exampleLaterTime,
  key_version: 1,
  signature: 'foVmtQqkCXyffq1c2SW1g6WV9jj1L5jsnBUYZc3pWok4rit/WQMuRIS/EuYgMcoO6hItT9Wc6EF1jqbBhLkABw==',
};

export const logProofExamples = {
  getLogProof: [
    {
      summary: 'A record that is not sealed yet',
      status: 409,
      request: { path, query },
      problem: { code: 'record-not-sealed', detail: 'The record has not been sealed yet. Retry in a few seconds.' },
    },
    {
      summary: 'A proof',
      status: 200,
      given: 'sealed-log',
      request: { path, query },
      response: {
        record: {
          tenant_id: exampleIds.tenant,
          id: exampleIds.log,
          created_at: Date.parse(exampleRecordTime),
          sealing_order: '1067',
          entity_type: 'card',
          entity_id: exampleIds.card,
          operation: 'create',
          outcome: 'success',
          actor_id: exampleIds.caller,
          actor_type: 'application',
          key_id: exampleIds.callerKey,
          request_id: exampleIds.request,
          source_address: '127.0.0.1',
          containers: ['/pci/high/'],
          destination: null,
          transform: 'mask',
          details: null,
        },
        index: 5,
        path: [
          'tpHvfjeBqEYbaGwMpm4oHDSCldligr1vCWtwB4AxQwY=',
          '0ccGOKJ5m5OxfNQHDcSgQEJQRU2lEwSzD17dYPtaQl0=',
          '7VGKWqlAATboKpUKl9q+LJrDTCEO9jR9wsQJrEYDNFI=',
          'Xj7DrIN7epAdvNXF/JEsObthRdNXa8E5QOMG/xXGUQI=',
        ],
        checkpoint: exampleCheckpoint,
        public_key: examplePublicKey,
      },
    },
    {
      summary: 'Not a time',
      status: 400,
      request: { path, query: { created_at: 'yesterday' } },
      problem: invalid({ created_at: ['must be an ISO 8601 date or date-time'] }),
    },
    {
      summary: 'No such record',
      status: 404,
      request: { path: { id: exampleIds.nobody }, query },
      problem: { code: 'not-found', detail: 'There is no such record.' },
    },
  ],
} satisfies Readonly<Record<string, readonly ApiExample[]>>;
