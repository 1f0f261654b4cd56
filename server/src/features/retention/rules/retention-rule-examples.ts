import { type ApiExample, invalid } from '../../../http/routes/api-examples.ts';
import { exampleApproval, exampleEnd, exampleIds, exampleTime } from '../../../http/routes/example-values.ts';

const wish = { container: '/pci/', type: 'card', keep_for_days: 400, never_longer_than_days: 800 };
const view = {
  id: exampleIds.retentionRule,
  ...wish,
  effective_at: exampleEnd,
  created_by: exampleIds.manager,
  created_at: exampleTime,
};
const { effective_at: _effectiveAt, ...pendingView } = view;
const noSuchRule = {
  summary: 'No such rule',
  status: 404,
  request: { path: { id: exampleIds.nobody } },
  problem: { code: 'not-found', detail: 'There is no such retention rule.' },
} satisfies ApiExample;

export const ruleExamples = {
  previewRetentionRule: [
    {
      summary: 'A rule that would remove nothing yet',
      status: 200,
      request: { body: wish },
      response: { tokens: 0, held_tokens: 0, is_exact: true },
    },
    {
      summary: 'A rule without a period',
      status: 400,
      request: { body: { type: 'card' } },
      problem: invalid({
        keep_for_days: ['must be given, or keep_until_unused_for_days or never_longer_than_days'],
      }),
    },
  ],
  createRetentionRule: [
    {
      summary: 'Keep cards for 400 days',
      status: 201,
      request: { body: { ...wish, confirmed_tokens: 0 } },
      response: { ...view, id: exampleIds.created },
    },
    {
      summary: 'A rule in a tenant that demands approvals',
      status: 202,
      given: 'approvals',
      description: 'It removes nothing until it is approved.',
      request: { body: { ...wish, confirmed_tokens: 0 } },
      response: { ...pendingView, id: exampleIds.created, approval: exampleApproval },
    },
    {
      summary: 'A type that does not exist',
      status: 400,
      request: { body: { type: 'cards', keep_for_days: 400, confirmed_tokens: 0 } },
      problem: invalid({
        type: [
          'must be one of token, card, bank, card_number, us_bank_account_number, us_bank_routing_number, social_security_number, employer_id_number',
        ],
      }),
    },
  ],
  listRetentionRules: [{ summary: 'The retention rules of the tenant', status: 200, response: [view] }],
  getRetentionRule: [
    { summary: 'A retention rule', status: 200, request: { path: { id: exampleIds.retentionRule } }, response: view },
    noSuchRule,
  ],
  deleteRetentionRule: [
    { summary: 'Delete a rule', status: 204, request: { path: { id: exampleIds.retentionRule } } },
    noSuchRule,
  ],
} satisfies Readonly<Record<string, readonly ApiExample[]>>;
