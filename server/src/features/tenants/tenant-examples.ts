import { type ApiExample, invalid } from '../../http/routes/api-examples.ts';
import { exampleApproval, exampleIds, exampleLaterTime, exampleTime } from '../../http/routes/example-values.ts';
import { ownerView } from '../members/index.ts';

const view = {
  id: exampleIds.tenant,
  owner_id: exampleIds.ownerUser,
  name: 'Test',
  type: 'test',
  settings: {},
  created_at: exampleTime,
};

export const tenantExamples = {
  getTenant: [
    {
      summary: 'A tenant for tests',
      status: 200,
      response: view,
    },
  ],
  updateTenant: [
    {
      summary: 'Deduplicate tokens by default',
      status: 200,
      request: { body: { name: 'Analytical Engines', settings: { deduplicate_tokens: 'true' } } },
      response: {
        ...view,
        name: 'Analytical Engines',
        settings: { deduplicate_tokens: 'true' },
        modified_by: exampleIds.manager,
        modified_at: exampleLaterTime,
      },
    },
    {
      summary: 'No longer demand approvals',
      status: 202,
      given: 'approvals',
      description: 'The demand stays until its end is approved.',
      request: { body: { name: 'Test', settings: { approve_plaintext: 'false' } } },
      response: {
        ...view,
        settings: { approve_plaintext: 'true' },
        modified_by: exampleIds.manager,
        modified_at: exampleLaterTime,
        approval: exampleApproval,
      },
    },
    {
      summary: 'A value that a setting cannot have',
      status: 400,
      request: { body: { name: 'Analytical Engines', settings: { deduplicate_tokens: 'yes' } } },
      problem: invalid({ 'settings.deduplicate_tokens': ['must be one of true, false'] }),
    },
  ],
  deleteTenant: [
    { summary: 'Delete the tenant and everything in it', status: 204 },
    {
      summary: 'A tenant with a legal hold',
      status: 409,
      given: 'legal-hold',
      problem: {
        code: 'legal-hold',
        detail: 'A legal hold keeps tokens of this tenant. Lift it, or delete the tenant when it has ended.',
      },
    },
  ],
  getTenantOwner: [
    {
      summary: 'The owner',
      status: 200,
      response: ownerView,
    },
  ],
  getUsageReport: [
    {
      summary: 'A card and a social security number',
      status: 200,
      response: {
        total_tokens: 2,
        token_report: {
          total_tokens: 2,
          metrics_by_type: {
            card: { count: 1, last_created_at: exampleTime },
            social_security_number: { count: 1, last_created_at: exampleTime },
          },
        },
      },
    },
  ],
} satisfies Readonly<Record<string, readonly ApiExample[]>>;
