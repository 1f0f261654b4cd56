import { type ApiExample, invalid } from '../../http/routes/api-examples.ts';
import { exampleApproval, exampleIds, exampleLaterTime } from '../../http/routes/example-values.ts';
import { memberView, ownerView } from './member-example-views.ts';

const missing: ApiExample = {
  summary: 'No such member',
  status: 404,
  request: { path: { id: exampleIds.nobody } },
  problem: { code: 'not-found', detail: 'There is no such member.' },
};

export const memberExamples = {
  listMembers: [
    {
      summary: 'Everybody',
      status: 200,
      request: { query: { size: '50' } },
      response: {
        pagination: { total_items: 2, page_number: 1, page_size: 50, total_pages: 1 },
        data: [memberView, ownerView],
      },
    },
    {
      summary: 'A user id that is not a UUID',
      status: 400,
      request: { query: { user_id: 'ada' } },
      problem: invalid({ user_id: ['must be a UUID'] }),
    },
  ],
  updateMember: [
    {
      summary: 'Let a member only read',
      status: 200,
      request: { path: { id: exampleIds.member }, body: { role: 'READ_ONLY' } },
      response: {
        ...memberView,
        role: 'READ_ONLY',
        modified_by: exampleIds.manager,
        modified_at: exampleLaterTime,
      },
    },
    {
      summary: 'Make a member an admin, in a tenant that demands approvals',
      status: 202,
      given: 'approvals',
      description: 'The member keeps the old role until the new one is approved.',
      request: { path: { id: exampleIds.member }, body: { role: 'ADMIN' } },
      response: { ...memberView, role: 'READ_ONLY', approval: exampleApproval },
    },
    {
      summary: 'The owner cannot step down',
      status: 400,
      request: { path: { id: exampleIds.owner }, body: { role: 'ADMIN' } },
      problem: invalid({ role: ['must stay OWNER until another member becomes the owner'] }),
    },
    { ...missing, request: { ...missing.request, body: { role: 'READ_ONLY' } } },
  ],
  deleteMember: [
    { summary: 'Remove a member', status: 204, request: { path: { id: exampleIds.member } } },
    missing,
    {
      summary: 'The owner cannot be removed',
      status: 422,
      request: { path: { id: exampleIds.owner } },
      problem: { code: 'owner-undeletable', detail: 'The owner of a tenant cannot be removed from it.' },
    },
  ],
} satisfies Readonly<Record<string, readonly ApiExample[]>>;
