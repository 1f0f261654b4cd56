import type { FactDefinition } from '../../../core/evidence/fact.ts';
import { counted } from '../../../core/text/counted.ts';
import { tokenTypeNames } from '../../../core/token-types/token-type-catalog.ts';
import { readRetentionState } from '../../../features/retention/index.ts';
import { countedRows, type FactGroup, readOnVault } from './fact-group.ts';
import { countByAge, countByContainer, countByType } from './retention-fact-store.ts';

/** Sweeps run twice an hour. A lag of this many hours means that several of them have failed. */
const lagHoursMax = 2;
const number = (count = 0) => count.toLocaleString('en');

const ages: FactDefinition = {
  id: 'token-ages',
  row: 'retention',
  foundBy: 'a count of tokens by the time of their creation',
  proof: readOnVault,
  figure: { under_90_days: 'sum', under_1_year: 'sum', under_3_years: 'sum', older: 'sum' },
  holds: (figure) =>
    `Of the stored tokens, ${number(figure['under_90_days'])} were created less than 90 days ago, ${number(figure['under_1_year'])} less than a year, ${number(figure['under_3_years'])} less than three years and ${number(figure['older'])} longer ago.`,
};

const types: FactDefinition = {
  id: 'tokens-by-type',
  row: 'retention',
  foundBy: 'the counters that every write maintains',
  proof: readOnVault,
  figure: Object.fromEntries(tokenTypeNames.map((name) => [name, 'sum'])),
  holds: (figure) => `Stored tokens by type: ${listOf(figure)}.`,
};

const containers: FactDefinition = {
  id: 'tokens-by-container',
  row: 'retention',
  foundBy: 'the counters that every write maintains; a token in several containers counts for each',
  proof: readOnVault,
  figure: { pci: 'sum', bank: 'sum', pii: 'sum', general: 'sum', other: 'sum' },
  holds: (figure) => `Stored tokens by container: ${listOf(figure)}.`,
};

const rules: FactDefinition = {
  id: 'retention-rules',
  row: 'retention',
  foundBy: 'a count of retention rules and legal holds in force, and of the tokens that holds keep',
  proof: readOnVault,
  figure: { rules: 'sum', tenants_without_rules: 'sum', holds: 'sum', held_tokens: 'sum' },
  holds: ({ rules: count, tenants_without_rules: without, holds, held_tokens: held }) =>
    `Retention rules in force: ${number(count)}. Tenants with tokens but without a rule: ${number(without)}. Legal holds in force: ${number(holds)}, which keep ${number(held)} tokens.`,
};

const overdue: FactDefinition = {
  id: 'tokens-past-retention',
  row: 'retention',
  foundBy:
    'the age rules of each tenant, compared with the age of its tokens; those under a legal hold are not counted',
  proof: readOnVault,
  figure: { tokens: 'sum' },
  weight: 'fails',
  holds: () => 'No token is stored for more than two hours past its retention rules.',
  found: ({ tokens = 0 }) => `Still stored more than two hours past a retention rule: ${counted(tokens, 'token')}.`,
  remedy: 'see that `strongroom work` runs and that the job sweep-retention succeeds (docs/runbooks/job-failing.md)',
};

const lag: FactDefinition = {
  id: 'retention-sweeps',
  row: 'retention',
  foundBy: 'the time at which the sweep last applied all rules of a tenant',
  proof: readOnVault,
  figure: { lag_hours: 'greatest' },
  weight: 'fails',
  holds: ({ lag_hours: hours = 0 }) => `Retention rules were last applied ${hours.toFixed(1)} hours ago or less.`,
  found: ({ lag_hours: hours = 0 }, tenants) =>
    `Retention rules of ${counted(tenants, 'tenant')} were not applied for up to ${hours.toFixed(1)} hours. They are applied twice an hour.`,
  remedy: 'see that `strongroom work` runs and that the job sweep-retention succeeds (docs/runbooks/job-failing.md)',
};

/** How long tokens are kept, and whether what the rules say is done. */
export const retentionFacts: FactGroup = {
  name: 'retention',
  facts: [ages, types, containers, rules, overdue, lag],
  readTenant: async ({ database }, tenantId) =>
    database.forTenant(tenantId, async (tx) => {
      const state = await readRetentionState(tx, tenantId);
      const byType = await countByType(tx, tenantId);
      const isWithout = state.rules === 0 && Object.values(byType).some((count) => count > 0);
      const ruled = { rules: state.rules, tenants_without_rules: isWithout ? 1 : 0 };
      return {
        [ages.id]: countedRows(tenantId, await countByAge(tx, tenantId), 0),
        [types.id]: countedRows(tenantId, byType, 0),
        [containers.id]: countedRows(tenantId, await countByContainer(tx, tenantId), 0),
        [rules.id]: countedRows(tenantId, { ...ruled, holds: state.holds, held_tokens: state.heldTokens }, 0),
        [overdue.id]: countedRows(tenantId, { tokens: state.overdue }, state.overdue),
        [lag.id]: countedRows(tenantId, { lag_hours: state.lagHours }, state.lagHours > lagHoursMax ? 1 : 0),
      };
    }),
};

function listOf(figure: Readonly<Record<string, number>>): string {
  const present = Object.entries(figure).filter(([, count]) => count > 0);
  return present.length === 0 ? 'none' : present.map(([name, count]) => `${name} ${number(count)}`).join(', ');
}
