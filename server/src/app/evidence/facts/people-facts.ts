import type { FactDefinition } from '../../../core/evidence/fact.ts';
import { counted } from '../../../core/text/counted.ts';
import { type FactGroup, listedRows, readOnVault } from './fact-group.ts';
import { findCredentials, findMembers } from './people-store.ts';

const idleDays = 90;
const keyDays = 365;

const members: FactDefinition = {
  id: 'members-without-a-factor',
  row: 'several-factors',
  foundBy:
    'members who have neither a passkey nor a password with an authenticator app nor an account at the OpenID provider',
  proof: readOnVault,
  figure: { members: 'sum', affected: 'sum' },
  weight: 'attention',
  holds: ({ members: count = 0 }) =>
    `Each of ${counted(count, 'member')} has set up a passkey, a password with an authenticator app, or the OpenID provider.`,
  found: ({ members: count = 0, affected = 0 }) =>
    `Without a method of their own to sign in with, only a link: ${affected.toLocaleString('en')} of ${counted(count, 'member')}.`,
  remedy:
    'have them set one up at their next sign-in, or remove them; in production tenants a link alone gives no access',
};

const idle: FactDefinition = {
  id: 'unused-members',
  row: 'unused-accounts',
  foundBy: `members whose last sign-in, or whose joining if there was none, is more than ${idleDays} days ago`,
  proof: readOnVault,
  figure: { members: 'sum' },
  weight: 'attention',
  holds: () => `Every member has signed in or joined within the last ${idleDays} days.`,
  found: ({ members: count = 0 }) => `Not signed in for more than ${idleDays} days: ${counted(count, 'member')}.`,
  remedy: 'remove them (docs/operate/members.md); they can be invited again',
};

const unused: FactDefinition = {
  id: 'unused-keys',
  row: 'unused-accounts',
  foundBy: `keys of applications whose last use, or whose creation if there was none, is more than ${idleDays} days ago`,
  proof: readOnVault,
  figure: { keys: 'sum' },
  weight: 'attention',
  holds: () => `Every key of an application was used or created within the last ${idleDays} days.`,
  found: ({ keys = 0 }) => `Not used for more than ${idleDays} days: ${counted(keys, 'application key')}.`,
  remedy: 'delete them after asking those who run the applications',
};

const old: FactDefinition = {
  id: 'old-keys',
  row: 'application-secrets',
  foundBy: `the age of the keys of applications, compared with ${keyDays} days`,
  proof: readOnVault,
  figure: { keys: 'sum', affected: 'sum', oldest_days: 'greatest' },
  weight: 'attention',
  holds: ({ keys = 0, oldest_days: days = 0 }) =>
    `${counted(keys, 'application key')}, stored as keyed hashes. The oldest is ${counted(days, 'day')} old.`,
  found: ({ keys = 0, affected = 0, oldest_days: days = 0 }) =>
    `Older than ${keyDays} days: ${affected.toLocaleString('en')} of ${counted(keys, 'application key')}. The oldest is ${counted(days, 'day')} old.`,
  remedy: 'give each application a second key, then delete the old one (docs/runbooks/key-old.md)',
};

/** Members and application keys: how they sign in, and whether anybody still uses them. */
export const peopleFacts: FactGroup = {
  name: 'members and keys',
  facts: [members, idle, unused, old],
  readTenant: ({ database }, tenantId) =>
    database.forTenant(tenantId, async (tx) => {
      const people = await findMembers(tx, tenantId, idleDays);
      const keys = await findCredentials(tx, tenantId, { idleDays, keyDays });
      return {
        [members.id]: {
          ...listedRows(tenantId, 'member', people.without, { members: people.total, affected: people.withoutTotal }),
          affectedTotal: people.withoutTotal,
        },
        [idle.id]: {
          ...listedRows(tenantId, 'member', people.idle, { members: people.idleTotal }),
          affectedTotal: people.idleTotal,
        },
        [unused.id]: {
          ...listedRows(tenantId, 'application key', keys.idle, { keys: keys.idleTotal }),
          affectedTotal: keys.idleTotal,
        },
        [old.id]: {
          ...listedRows(tenantId, 'application key', keys.old, {
            keys: keys.total,
            affected: keys.oldTotal,
            oldest_days: keys.oldestDays,
          }),
          affectedTotal: keys.oldTotal,
        },
      };
    }),
};
