import { type ApiExample, invalid } from '../../http/routes/api-examples.ts';
import { exampleEnd, exampleIds, examplePublicKey } from '../../http/routes/example-values.ts';

const view = {
  id: exampleIds.clientKey,
  key_id: exampleIds.clientKey,
  public_key_pem: examplePublicKey,
  expires_at: exampleEnd,
};

export const clientKeyExamples = {
  createClientKey: [
    {
      summary: 'Create a client key that is valid for a year',
      status: 201,
      request: { body: {} },
      response: { ...view, id: exampleIds.created, key_id: exampleIds.created },
    },
    {
      summary: 'An expiry that has passed',
      status: 400,
      request: { body: { expires_at: '2020-01-01T00:00:00Z' } },
      problem: invalid({ expires_at: ['must be in the future'] }),
    },
  ],
  listClientKeys: [
    { summary: 'The client keys of the tenant', status: 200, response: [view] },
    {
      summary: 'A query parameter',
      status: 400,
      request: { query: { page: '1' } },
      problem: invalid({ querystring: ['must be empty: this endpoint takes no parameters'] }),
    },
  ],
  getClientKey: [
    { summary: 'A client key', status: 200, request: { path: { id: exampleIds.clientKey } }, response: view },
    {
      summary: 'No such client key',
      status: 404,
      request: { path: { id: exampleIds.nobody } },
      problem: { code: 'not-found', detail: 'There is no such key, or it has expired.' },
    },
  ],
  deleteClientKey: [
    { summary: 'Delete a client key', status: 204, request: { path: { id: exampleIds.clientKey } } },
    {
      summary: 'No such client key',
      status: 404,
      request: { path: { id: exampleIds.nobody } },
      problem: { code: 'not-found', detail: 'There is no such key, or it has expired.' },
    },
  ],
} satisfies Readonly<Record<string, readonly ApiExample[]>>;
