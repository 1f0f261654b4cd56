import type { FactDefinition } from '../../../core/evidence/fact.ts';
import type { ScopeRowId } from '../../../core/evidence/scope-rows.ts';
import { counted } from '../../../core/text/counted.ts';
import { inspectDatabase } from '../../../platform/database/ground/database-inspection.ts';
import { judgeGround } from '../../../platform/database/ground/ground-checks.ts';
import { readGround } from '../../../platform/database/ground/ground-reading.ts';
import { checkTransport } from '../../doctor/transport-check.ts';
import { type FactGroup, readFromSettings, readOnVault, setting } from './fact-group.ts';

/** A check of `strongroom doctor` as a fact. The detail of the check stays with the operator: it can name hosts. */
function ofDoctor(
  id: string,
  row: ScopeRowId,
  texts: {
    readonly check: string;
    readonly weight: 'attention' | 'fails';
    readonly holds: string;
    readonly found: string;
  },
): FactDefinition & { readonly check: string } {
  const { check, weight, holds, found } = texts;
  return {
    id,
    row,
    foundBy: `the check "${check}" of \`strongroom doctor\``,
    proof: readOnVault,
    figure: {},
    weight,
    holds: () => holds,
    found: () => found,
    remedy: 'run `strongroom doctor`, which says what to do',
    check,
  };
}

const roles = ofDoctor('database-role', 'access-by-need', {
  check: 'application role',
  weight: 'fails',
  holds: 'The role of the servers owns no table and cannot bypass row-level security.',
  found: 'The role of the servers owns tables or can bypass row-level security.',
});
const walls = ofDoctor('row-level-security', 'access-by-need', {
  check: 'row-level security',
  weight: 'fails',
  holds: 'Row-level security is forced on every table that the servers write.',
  found: 'Row-level security is not forced on every table that the servers write.',
});
const transport = ofDoctor('database-tls', 'transmission', {
  check: 'database TLS',
  weight: 'attention',
  holds: 'Connections to PostgreSQL stay on this machine, or use TLS with a certificate that is checked.',
  found: 'A connection to PostgreSQL leaves this machine without TLS, or without a check of the certificate.',
});
const clock = ofDoctor('clock', 'clocks', {
  check: 'clock',
  weight: 'attention',
  holds: 'The clocks of PostgreSQL and of this machine agree.',
  found: 'The clocks of PostgreSQL and of this machine differ.',
});
const fsync = ofDoctor('fsync', 'log-protection', {
  check: 'fsync',
  weight: 'fails',
  holds: 'PostgreSQL waits for its disk before it confirms a record.',
  found: 'PostgreSQL does not wait for its disk: confirmed records can be lost with the power.',
});
const pages = ofDoctor('full-page-writes', 'log-protection', {
  check: 'full_page_writes',
  weight: 'attention',
  holds: 'PostgreSQL can repair pages that were half written when the power failed.',
  found: 'PostgreSQL cannot repair pages that were half written when the power failed.',
});
const commits = ofDoctor('synchronous-commit', 'log-protection', {
  check: 'synchronous_commit',
  weight: 'fails',
  holds: 'PostgreSQL confirms a commit only when it is durable.',
  found: 'PostgreSQL confirms commits before they are durable: a record of what somebody has seen can be lost.',
});
const checked = [roles, walls, transport, clock, fsync, pages, commits];

const version: FactDefinition = {
  id: 'release',
  row: 'components',
  foundBy: 'the version of the program that took the evidence',
  proof: readFromSettings,
  figure: { is_release: 'greatest' },
  weight: 'attention',
  holds: () => 'The program is a release, for which a list of components is published.',
  found: () => 'The program is a build of main and not a release: no list of its components is published.',
  remedy: 'install a release (docs/deploy/release.md)',
};

const settingsFact: FactDefinition = {
  id: 'settings',
  row: 'secure-configuration',
  foundBy: 'the settings of the machine on which the command ran, which are all checked at start-up',
  proof: readFromSettings,
  figure: { settings: 'greatest' },
  holds: ({ settings = 0 }) =>
    `${counted(settings, 'setting')} of the vault ${settings === 1 ? 'is' : 'are'} set here, and all are valid.`,
};

/** The program, its settings, and the PostgreSQL on which its guarantees depend. */
export const installationFacts: FactGroup = {
  name: 'installation',
  facts: [...checked, version, settingsFact],
  readVault: async ({ database, config, environment, version: text }) => {
    const { connectionsMax, requiresStandby, url } = config.database;
    const inspected = (await inspectDatabase(url)).map(({ name, isOk }) => ({ name, isOk }));
    const ground = judgeGround(await readGround(database), { connectionsMax, requiresStandby });
    const judged = [...ground, await checkTransport(config.database)].map(({ name, verdict }) => ({
      name,
      isOk: verdict === 'ok',
    }));
    const results = new Map([...inspected, ...judged].map(({ name, isOk }) => [name, isOk]));
    const set = Object.keys(environment).filter((name) => name.startsWith('STRONGROOM_')).length;
    const isRelease = text !== '' && !text.includes('-dev');
    return {
      ...Object.fromEntries(checked.map(({ id, check }) => [id, setting(check, results.get(check) !== true)])),
      [version.id]: setting('version', !isRelease, { is_release: isRelease ? 1 : 0 }),
      [settingsFact.id]: setting('settings', false, { settings: set }),
    };
  },
};
