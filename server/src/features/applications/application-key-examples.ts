import { type ApiExample, invalid } from '../../http/routes/api-examples.ts';
import { exampleApproval, exampleIds, exampleSecrets, exampleTime } from '../../http/routes/example-values.ts';

const application = { id: exampleIds.application };
const key = { ...application, keyId: exampleIds.applicationKey };
const noApplication: ApiExample = {
  summary: 'No such application',
  status: 404,
  request: { path: { id: exampleIds.nobody } },
  problem: { code: 'not-found', detail: 'There is no such application.' },
};
const noKey: ApiExample = {
  summary: 'No such key',
  status: 404,
  request: { path: { ...application, keyId: exampleIds.nobody } },
  problem: { code: 'not-found', detail: 'There is no such key.' },
};

const view = {
  id: exampleIds.applicationKey,
  version: '1',
  created_by: exampleIds.manager,
  created_at: exampleTime,
  last_used_at: null,
};

export const applicationKeyExamples = {
  createApplicationKey: [
    {
      summary: 'A further key',
      status: 201,
      request: { path: application },
      response: { ...view, id: exampleIds.createdKey, key: exampleSecrets.key },
    },
    {
      summary: 'A key of an application that reveals, in a tenant that demands approvals',
      status: 202,
      given: 'approvals',
      description: 'The key is refused until it is approved. Its secret is not shown again.',
      request: { path: application },
      response: { ...view, id: exampleIds.createdKey, key: exampleSecrets.key, approval: exampleApproval },
    },
    {
      summary: 'An idempotency key with a blank in it',
      status: 400,
      request: { path: application, headers: { 'BT-IDEMPOTENCY-KEY': 'key 1' } },
      problem: invalid({ 'BT-IDEMPOTENCY-KEY': ['must be 1 to 255 visible ASCII characters'] }),
    },
    noApplication,
  ],
  listApplicationKeys: [
    {
      summary: 'All keys',
      status: 200,
      request: { path: application },
      response: [view],
    },
    {
      summary: 'An id that is not a UUID',
      status: 400,
      request: { path: application, query: { id: 'first' } },
      problem: invalid({ id: ['must be a UUID'] }),
    },
    noApplication,
  ],
  getApplicationKey: [
    {
      summary: 'A key',
      status: 200,
      request: { path: key },
      response: view,
    },
    noKey,
  ],
  deleteApplicationKey: [{ summary: 'Revoke a key', status: 204, request: { path: key } }, noKey],
} satisfies Readonly<Record<string, readonly ApiExample[]>>;
