import type { FactDefinition } from '../../../core/evidence/fact.ts';
import { counted } from '../../../core/text/counted.ts';
import { sumTokenCounts } from '../../../features/tokens/index.ts';
import { countedRows, type FactGroup, readOnVault, setting } from './fact-group.ts';
import { countOverdueTenants, countStored } from './stored-data-store.ts';

const stored: FactDefinition = {
  id: 'stored-tokens',
  row: 'retention',
  foundBy: 'the counters that every write maintains, and a count of tokens with expires_at',
  proof: readOnVault,
  figure: { tokens: 'sum', with_expiry: 'sum' },
  holds: ({ tokens = 0, with_expiry: expiring = 0 }) =>
    `${counted(tokens, 'token')} ${tokens === 1 ? 'is' : 'are'} stored; ${expiring.toLocaleString('en')} of them with a time at which they expire.`,
};

const expired: FactDefinition = {
  id: 'expired-tokens',
  row: 'retention',
  foundBy: 'a count of tokens whose expires_at is more than an hour ago and which no legal hold keeps',
  proof: readOnVault,
  figure: { tokens: 'sum' },
  weight: 'fails',
  holds: () => 'No token is stored for more than an hour past its expiry.',
  found: ({ tokens = 0 }) => `Still stored more than an hour past their expiry: ${counted(tokens, 'token')}.`,
  remedy: 'see that `strongroom work` runs and that the job sweep-tokens succeeds (docs/runbooks/job-failing.md)',
};

const deleted: FactDefinition = {
  id: 'deleted-tenants',
  row: 'retention',
  foundBy:
    'a count of tenants that were deleted more than eight days ago and still have a row, among those in the bundle',
  proof: readOnVault,
  figure: { tenants: 'sum', is_whole: 'greatest' },
  weight: 'fails',
  holds: ({ is_whole: isWhole = 0 }) =>
    `${isWhole > 0 ? 'No tenant' : 'This tenant'} is ${isWhole > 0 ? '' : 'not '}stored for more than a day past the end of its restoration period.`,
  found: ({ tenants = 0 }) => `Deleted more than eight days ago, and still stored: ${counted(tenants, 'tenant')}.`,
  remedy: 'see that `strongroom work` runs and that the job remove-tenants succeeds (docs/runbooks/job-failing.md)',
};

const codes: FactDefinition = {
  id: 'stale-codes',
  row: 'verification-codes',
  foundBy: 'a count of sealed verification codes that should have been swept a quarter of an hour ago',
  proof: readOnVault,
  figure: { codes: 'sum' },
  weight: 'fails',
  holds: () => 'No verification code is stored past its hour.',
  found: ({ codes: count = 0 }) =>
    `Stored past their hour: ${counted(count, 'verification code')}. Their keys are gone, so that nobody can read them, but they should have been removed.`,
  remedy: 'see that `strongroom work` runs and that the job sweep-codes succeeds (docs/runbooks/job-failing.md)',
};

/** What is stored, and what should not be stored any more. */
export const storedDataFacts: FactGroup = {
  name: 'stored data',
  facts: [stored, expired, deleted, codes],
  readVault: async ({ database, onlyTenant }) => {
    const tenants = await database.forSystem((tx) => countOverdueTenants(tx, onlyTenant));
    const figure = { tenants, is_whole: onlyTenant === undefined ? 1 : 0 };
    return { [deleted.id]: { ...setting('deleted tenants', tenants > 0, figure), affectedTotal: tenants } };
  },
  readTenant: async ({ database }, tenantId) =>
    database.forTenant(tenantId, async (tx) => {
      const found = await countStored(tx, tenantId);
      const tokens = await sumTokenCounts(tx, tenantId);
      return {
        [stored.id]: countedRows(tenantId, { tokens, with_expiry: found.expiring }, 0),
        [expired.id]: countedRows(tenantId, { tokens: found.expired }, found.expired),
        [codes.id]: countedRows(tenantId, { codes: found.codes }, found.codes),
      };
    }),
};
