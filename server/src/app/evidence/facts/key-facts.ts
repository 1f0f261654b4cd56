import type { FactDefinition } from '../../../core/evidence/fact.ts';
import { counted } from '../../../core/text/counted.ts';
import { findKeyAges } from '../../../platform/keyring/keys/key-age-store.ts';
import { TenantKeyStore } from '../../../platform/keyring/keys/tenant-key-store.ts';
import { examineSecretFiles } from '../../doctor/secret-file-check.ts';
import { type FactGroup, listedRows, readFromSettings, readOnVault, setting } from './fact-group.ts';

const dayMs = 86_400_000;
/** The age at which the alert StrongroomKeyOld fires. */
const periodDays = 365;
/** How long keys may stay behind after a rotation. */
const leftoverDays = 30;

const inventory: FactDefinition = {
  id: 'key-inventory',
  row: 'key-life',
  foundBy: 'the rows of tenant_keys, which `strongroom keys list` shows',
  proof: readOnVault,
  figure: { keys: 'sum', data_keys: 'sum', oldest_data_key_days: 'greatest' },
  holds: ({ keys = 0, data_keys: data = 0, oldest_data_key_days: days = 0 }) =>
    `${counted(keys, 'tenant key')} of 256 random bits, all of them stored only wrapped; ${counted(data, 'data key')} among them. The oldest one that new data is encrypted with is ${counted(days, 'day')} old.`,
};

const overdue: FactDefinition = {
  id: 'overdue-data-keys',
  row: 'key-life',
  foundBy: `the age of the newest data key of each tenant, compared with ${periodDays} days`,
  proof: readOnVault,
  figure: { keys: 'sum' },
  weight: 'attention',
  holds: () => `New data is encrypted with data keys that are at most ${periodDays} days old.`,
  found: ({ keys = 0 }) => `Encrypting new data for more than ${periodDays} days: ${counted(keys, 'data key')}.`,
  remedy: 'run `strongroom keys rotate data`, then `reencrypt` and `retire`, or name a longer period and its reason',
};

const unfinished: FactDefinition = {
  id: 'unfinished-rotations',
  row: 'key-life',
  foundBy: `data keys that are not the newest and still open, although the newest is more than ${leftoverDays} days old`,
  proof: readOnVault,
  figure: { keys: 'sum' },
  weight: 'attention',
  holds: () => `No rotation of a data key has been unfinished for more than ${leftoverDays} days.`,
  found: ({ keys = 0 }) =>
    `Replaced more than ${leftoverDays} days ago, and still not closed: ${counted(keys, 'data key')}. Older data may still be encrypted with them.`,
  remedy: 'run `strongroom keys reencrypt`, then `strongroom keys retire`',
};

const undestroyed: FactDefinition = {
  id: 'closed-keys',
  row: 'key-life',
  foundBy: `data keys that were closed more than ${leftoverDays} days ago and still exist`,
  proof: readOnVault,
  figure: { keys: 'sum' },
  weight: 'attention',
  holds: () => `Every data key that was closed more than ${leftoverDays} days ago is destroyed.`,
  found: ({ keys = 0 }) =>
    `Closed more than ${leftoverDays} days ago, and not destroyed: ${counted(keys, 'data key')}.`,
  remedy: 'run `strongroom keys retire`',
};

const rootAge: FactDefinition = {
  id: 'root-key-age',
  row: 'key-life',
  foundBy: 'the time since the root key was last replaced, or since the vault was set up',
  proof: readOnVault,
  figure: { days: 'greatest' },
  weight: 'attention',
  holds: ({ days = 0 }) => `The root key has been in use for ${counted(days, 'day')}.`,
  found: ({ days = 0 }) =>
    `The root key has been in use for ${counted(days, 'day')}, which is more than ${periodDays}.`,
  remedy: 'change the root key (docs/operate/root-keys.md), or name a longer period and its reason',
};

const rootPlace: FactDefinition = {
  id: 'root-key-place',
  row: 'key-protection',
  foundBy: 'the provider of the root key that wraps, in the settings of the machine on which the command ran',
  proof: readFromSettings,
  figure: { in_a_file: 'greatest' },
  weight: 'attention',
  holds: () => 'The root key is in an HSM or a key service, which unwraps keys without giving it away.',
  found: () =>
    'The root key is in a variable or a file. It protects only against those who cannot read both it and the database.',
  remedy: 'move the root key to an HSM or a key service, or show who can read the file (docs/operate/root-keys.md)',
};

const secretFiles: FactDefinition = {
  id: 'secret-files',
  row: 'key-protection',
  foundBy: 'the permissions of the files with secrets on the machine on which the command ran',
  proof: readFromSettings,
  figure: { exposed: 'greatest' },
  weight: 'fails',
  holds: () => 'No file with a secret can be read or changed by every user of this machine.',
  found: () => 'A file with a secret can be read or changed by every user of this machine.',
  remedy: 'run `strongroom doctor`, which names the files',
};

/** Keys, their ages, and what protects them. */
export const keyFacts: FactGroup = {
  name: 'keys',
  facts: [inventory, overdue, unfinished, undestroyed, rootAge, rootPlace, secretFiles],
  readVault: async ({ database, config, environment }) => {
    const { rootSeconds } = await database.forSystem(findKeyAges);
    const days = Math.floor((rootSeconds ?? 0) / 86_400);
    const isFile = config.rootKeys.primary.kind === 'file';
    const files = examineSecretFiles(environment);
    const isExposed = files !== undefined && (!files.isOk || files.isWarning === true);
    return {
      [rootAge.id]: setting('root key', days > periodDays, { days }),
      [rootPlace.id]: setting('root key', isFile, { in_a_file: isFile ? 1 : 0 }),
      [secretFiles.id]: setting('secret files', isExposed, { exposed: isExposed ? 1 : 0 }),
    };
  },
  readTenant: async ({ database }, tenantId) => {
    const keys = await database.forTenant(tenantId, (tx) => new TenantKeyStore(tx).describe(tenantId));
    const data = keys.filter(({ purpose }) => purpose === 'data').toSorted((a, b) => b.version - a.version);
    const [newest, ...older] = data;
    const ageDays = Math.floor((newest?.ageMs ?? 0) / dayMs);
    const toIds = (found: typeof data) => found.map(({ version }) => `data ${version}`);
    const late = newest !== undefined && ageDays > periodDays ? [newest] : [];
    const open = ageDays > leftoverDays ? older.filter(({ closedAt }) => closedAt === null) : [];
    const closed = older.filter(({ closedForMs }) => (closedForMs ?? 0) > leftoverDays * dayMs);
    const toObservation = (found: typeof data) => listedRows(tenantId, 'key', toIds(found), { keys: found.length });
    return {
      [inventory.id]: listedRows(tenantId, 'key', [], {
        keys: keys.length,
        data_keys: data.length,
        oldest_data_key_days: ageDays,
      }),
      [overdue.id]: toObservation(late),
      [unfinished.id]: toObservation(open),
      [undestroyed.id]: toObservation(closed),
    };
  },
};
