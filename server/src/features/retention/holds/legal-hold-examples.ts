import { type ApiExample, invalid } from '../../../http/routes/api-examples.ts';
import { exampleApproval, exampleIds, exampleLaterTime, exampleTime } from '../../../http/routes/example-values.ts';

const wish = {
  reason: 'Dispute 2026-114 with the acquirer',
  container: '/pci/disputed/',
  metadata: { customer_id: 'c-2077' },
};
const view = {
  id: exampleIds.legalHold,
  is_in_force: true,
  ...wish,
  created_by: exampleIds.manager,
  created_at: exampleTime,
};
const noSuchHold = {
  summary: 'No such hold',
  status: 404,
  request: { path: { id: exampleIds.nobody } },
  problem: { code: 'not-found', detail: 'There is no such legal hold, or it was forgotten after it ended.' },
} satisfies ApiExample;

export const holdExamples = {
  createLegalHold: [
    {
      summary: 'Keep the cards of a customer',
      status: 201,
      request: { body: wish },
      response: { ...view, id: exampleIds.created },
    },
    {
      summary: 'An end that has passed',
      status: 400,
      request: { body: { reason: 'Audit', ends_at: '2020-01-01T00:00:00Z' } },
      problem: invalid({ ends_at: ['must be in the future'] }),
    },
  ],
  listLegalHolds: [{ summary: 'The legal holds of the tenant', status: 200, response: [view] }],
  getLegalHold: [
    { summary: 'A legal hold', status: 200, request: { path: { id: exampleIds.legalHold } }, response: view },
    noSuchHold,
  ],
  liftLegalHold: [
    {
      summary: 'Lift a hold',
      status: 200,
      request: { path: { id: exampleIds.legalHold } },
      response: { ...view, is_in_force: false, lifted_at: exampleLaterTime, lifted_by: exampleIds.manager },
    },
    {
      summary: 'Lift a hold in a tenant that demands approvals',
      status: 202,
      given: 'approvals',
      description: 'It stays in force until the request is approved.',
      request: { path: { id: exampleIds.legalHold } },
      response: { ...view, approval: exampleApproval },
    },
    noSuchHold,
  ],
} satisfies Readonly<Record<string, readonly ApiExample[]>>;
