import { exampleIds, exampleTime } from '../../http/routes/example-values.ts';

/** Fields that all people in the examples share. */
const made = { sign_in_ways: [], created_at: exampleTime, created_date: exampleTime };

export const ownerView = {
  id: exampleIds.owner,
  tenant_id: exampleIds.tenant,
  role: 'OWNER',
  user: { id: exampleIds.ownerUser, email: 'ada@example.com', first_name: 'Ada' },
  ...made,
};

export const memberView = {
  id: exampleIds.member,
  tenant_id: exampleIds.tenant,
  role: 'ADMIN',
  user: { id: exampleIds.user, email: 'charles@example.com', first_name: 'Charles' },
  ...made,
};
