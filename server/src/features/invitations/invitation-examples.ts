import { type ApiExample, invalid } from '../../http/routes/api-examples.ts';
import {
  exampleApproval,
  exampleEnd,
  exampleIds,
  exampleLaterTime,
  exampleTime,
} from '../../http/routes/example-values.ts';

const one = { id: exampleIds.invitation };
const missing: ApiExample = {
  summary: 'No such invitation',
  status: 404,
  request: { path: { id: exampleIds.nobody } },
  problem: { code: 'not-found', detail: 'There is no such invitation.' },
};

const view = {
  id: exampleIds.invitation,
  tenant_id: exampleIds.tenant,
  email: 'grace@example.com',
  role: 'ADMIN',
  status: 'PENDING',
  expires_at: exampleEnd,
  created_by: exampleIds.manager,
  created_at: exampleTime,
};

export const invitationExamples = {
  createInvitation: [
    {
      summary: 'Invite somebody who may only read',
      status: 201,
      request: { body: { email: 'alan@example.com', role: 'READ_ONLY' } },
      response: { ...view, id: exampleIds.created, email: 'alan@example.com', role: 'READ_ONLY' },
    },
    {
      summary: 'Invite an admin, in a tenant that demands approvals',
      status: 202,
      given: 'approvals',
      description: 'There is no link and no mail until the invitation is approved.',
      request: { body: { email: 'joan@example.com', role: 'ADMIN' } },
      response: { ...view, id: exampleIds.created, email: 'joan@example.com', approval: exampleApproval },
    },
    {
      summary: 'Not an e-mail address',
      status: 400,
      request: { body: { email: 'alan at example.com' } },
      problem: invalid({ email: ['must be an e-mail address such as name@example.com'] }),
    },
    {
      summary: 'Somebody who has an invitation',
      status: 409,
      request: { body: { email: 'grace@example.com' } },
      problem: {
        code: 'already-invited',
        detail: 'This e-mail address has been invited already. Resend the invitation.',
      },
    },
    {
      summary: 'Somebody who is a member',
      status: 409,
      request: { body: { email: 'ada@example.com' } },
      problem: { code: 'already-a-member', detail: 'Somebody with this e-mail address is a member already.' },
    },
  ],
  listInvitations: [
    {
      summary: 'Those that can still be accepted',
      status: 200,
      request: { query: { status: 'PENDING' } },
      response: {
        pagination: { total_items: 1, page_number: 1, page_size: 20, total_pages: 1 },
        data: [view],
      },
    },
    {
      summary: 'A status that does not exist',
      status: 400,
      request: { query: { status: 'ACCEPTED' } },
      problem: invalid({ status: ['must be one of PENDING, EXPIRED'] }),
    },
  ],
  resendInvitation: [
    {
      summary: 'Send a new link',
      status: 200,
      request: { path: one },
      response: { ...view, modified_by: exampleIds.manager, modified_at: exampleLaterTime },
    },
    {
      summary: 'An admin whom nobody has approved, in a tenant that demands approvals',
      status: 202,
      given: 'approvals',
      request: { path: one },
      response: {
        ...view,
        modified_by: exampleIds.manager,
        modified_at: exampleLaterTime,
        approval: exampleApproval,
      },
    },
    {
      summary: 'An idempotency key with a blank in it',
      status: 400,
      request: { path: one, headers: { 'BT-IDEMPOTENCY-KEY': 'key 1' } },
      problem: invalid({ 'BT-IDEMPOTENCY-KEY': ['must be 1 to 255 visible ASCII characters'] }),
    },
    missing,
  ],
  getInvitation: [
    {
      summary: 'An invitation',
      status: 200,
      request: { path: one },
      response: view,
    },
    missing,
  ],
  deleteInvitation: [{ summary: 'Withdraw an invitation', status: 204, request: { path: one } }, missing],
} satisfies Readonly<Record<string, readonly ApiExample[]>>;
