import { type ApiExample, invalid } from '../../http/routes/api-examples.ts';
import { exampleEnd, exampleIds, exampleTime } from '../../http/routes/example-values.ts';

const listed = {
  id: exampleIds.session,
  tenant_id: exampleIds.tenant,
  application_id: exampleIds.webShop,
  authorized_by: exampleIds.revealing,
  authorized_by_key: exampleIds.revealingKey,
  permissions: [],
  rules: [{ priority: 1, container: '/pci/high/', transform: 'mask', permissions: ['token:create'] }],
  created_at: exampleTime,
  authorized_at: exampleTime,
  expires_at: exampleEnd,
};

export const listedSessionExamples = {
  listSessions: [
    {
      summary: 'What was authorized',
      status: 200,
      request: { query: { authorized: 'true' } },
      response: { pagination: { page_size: 20 }, data: [listed] },
    },
    {
      summary: 'A cursor that no page has given',
      status: 400,
      request: { query: { start: 'first' } },
      problem: invalid({ start: ['must be the `next` of an earlier page'] }),
    },
  ],
  deleteSession: [
    { summary: 'End a session', status: 204, request: { path: { id: exampleIds.session } } },
    {
      summary: 'No such session',
      status: 404,
      request: { path: { id: exampleIds.nobody } },
      problem: { code: 'not-found', detail: 'There is no such session.' },
    },
  ],
} satisfies Readonly<Record<string, readonly ApiExample[]>>;
