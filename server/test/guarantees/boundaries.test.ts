import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const repository = path.resolve(import.meta.dirname, '../../..');

/** A forbidden import, its file, and the rule that has to reject it. */
const plants: readonly { readonly rule: string; readonly file: string; readonly source: string }[] = [
  { rule: 'core-is-pure', file: 'core/to-platform.ts', source: `export * from '../platform/database/database.ts';` },
  { rule: 'core-is-pure', file: 'core/to-node.ts', source: `import 'node:fs';` },
  { rule: 'core-is-pure', file: 'core/to-package.ts', source: `import 'pino';` },
  {
    rule: 'platform-below-features',
    file: 'platform/database/to-feature.ts',
    source: `import type { TokenStore } from '../../features/tokens/index.ts';\nexport type Planted = TokenStore;`,
  },
  { rule: 'platform-below-features', file: 'platform/to-edge.ts', source: `import '../http/edge/edge.ts';` },
  { rule: 'http-below-features', file: 'http/to-feature.ts', source: `import '../features/tokens/index.ts';` },
  { rule: 'features-below-app', file: 'features/tokens/to-app.ts', source: `import '../../app/wiring/vault-core.ts';` },
  { rule: 'app-below-cli', file: 'app/to-cli.ts', source: `import '../cli/terminal/output.ts';` },
  { rule: 'commands-load-on-demand', file: 'cli/to-app.ts', source: `import '../app/wiring/vault-core.ts';` },
  {
    rule: 'features-meet-at-the-index',
    file: 'features/tokens/to-inside.ts',
    source: `import { ApplicationStore } from '../applications/application-store.ts';\nexport const planted = ApplicationStore;`,
  },
  {
    rule: 'parts-of-tokens-meet-at-the-index',
    file: 'features/tokens/query/to-inside.ts',
    source: `import { TokenCreator } from '../write/token-creator.ts';\nexport const planted = TokenCreator;`,
  },
  {
    rule: 'the-model-of-tokens-knows-no-part',
    file: 'features/tokens/model/to-part.ts',
    source: `import { TokenFinder } from '../query/index.ts';\nexport const planted = TokenFinder;`,
  },
  {
    rule: 'tests-stay-out-of-the-product',
    file: 'app/to-harness.ts',
    source: `import '../../test/harness/deadline.ts';`,
  },
  { rule: 'fastify-at-the-edge', file: 'features/tokens/web-service.ts', source: `import 'fastify';` },
  { rule: 'sql-in-stores', file: 'features/tokens/sql-service.ts', source: `import 'pg';` },
  { rule: 'sql-in-stores', file: 'cli/sql.ts', source: `export const planted = () => import('pg');` },
  { rule: 'environment-in-config', file: 'http/environment.ts', source: `import { env } from 'node:process';` },
  { rule: 'egress-in-one-place', file: 'http/look-up.ts', source: `import 'node:dns/promises';` },
  { rule: 'cryptography-in-the-keyring', file: 'features/tokens/hash.ts', source: `import 'node:crypto';` },
  { rule: 'cryptography-in-the-keyring', file: 'platform/outbound/hash.ts', source: `import 'crypto';` },
  { rule: 'egress-in-one-place', file: 'features/tokens/socket.ts', source: `import 'node:net';` },
  { rule: 'egress-in-one-place', file: 'http/call.ts', source: `export const planted = () => import('node:https');` },
  { rule: 'egress-in-one-place', file: 'platform/keyring/resolve.ts', source: `import 'dns';` },
  { rule: 'egress-in-one-place', file: 'platform/keyring/kms/call.ts', source: `import 'node:https';` },
  { rule: 'redis-for-limits', file: 'features/tokens/cache.ts', source: `import 'ioredis';` },
  { rule: 'providers-in-outbound', file: 'features/portal/ask.ts', source: `import 'openid-client';` },
  { rule: 'passkeys-in-the-keyring', file: 'features/portal/verify.ts', source: `import '@simplewebauthn/server';` },
  { rule: 'export-encryption-in-the-keyring', file: 'features/exports/encrypt.ts', source: `import 'openpgp';` },
  { rule: 'mail-in-one-place', file: 'features/invitations/send.ts', source: `import 'nodemailer';` },
  {
    rule: 'certificates-in-the-keyring',
    file: 'features/portal/certify.ts',
    source: `import '@peculiar/x509';`,
  },
  {
    rule: 'encrypted-data-in-the-keyring',
    file: 'features/proxy/decrypt.ts',
    source: `import 'jose';`,
  },
  {
    rule: 'nothing-of-dev-in-production',
    file: 'app/serve/vault-planted.ts',
    source: `export const planted = () => import('../dev/development-vault.ts');`,
  },
  {
    rule: 'nothing-depends-on-the-suites',
    file: 'app/to-suite.ts',
    source: `import '../../../conformance/harness/collect.ts';`,
  },
  {
    rule: 'suites-see-a-vault-from-outside',
    file: 'conformance/clients/to-server.ts',
    source: `import '../../server/src/app/wiring/vault-core.ts';`,
  },
  {
    rule: 'the-api-suite-knows-no-client',
    file: 'conformance/api/to-client.ts',
    source: `import '../harness/node-clients.ts';`,
  },
  {
    rule: 'the-portal-shares-core-only',
    file: 'portal/src/proof/to-server.ts',
    source: `import '../../../server/src/platform/audit/seal/merkle-tree.ts';`,
  },
  {
    rule: 'parts-of-the-portal-know-no-page',
    file: 'portal/src/parts/to-page.ts',
    source: `import '../pages/audit/audit-search.ts';`,
  },
  {
    rule: 'elements-share-core-only',
    file: 'elements/frames/field/to-server.ts',
    source: `import '../../../server/src/platform/keyring/keys/keyring.ts';`,
  },
  {
    rule: 'card-fields-bring-no-package',
    file: 'elements/frames/field/with-react.ts',
    source: `import 'react';`,
  },
  {
    rule: 'page-and-frames-meet-in-the-protocol',
    file: 'elements/client/to-frame.ts',
    source: `import '../frames/field/input-box.ts';`,
  },
  {
    rule: 'field-and-controller-meet-in-messages',
    file: 'elements/frames/controller/to-field.ts',
    source: `import '../field/safe-pattern.ts';`,
  },
  {
    rule: 'frames-know-no-client',
    file: 'elements/frames/controller/to-client.ts',
    source: `import '../../client/errors.ts';`,
  },
  {
    rule: 'pages-of-the-portal-stand-alone',
    file: 'portal/src/pages/tokens/to-page.ts',
    source: `import '../audit/audit-search.ts';`,
  },
  { rule: 'no-cycles', file: 'http/cycle-begin.ts', source: `export * from './cycle-end.ts';` },
];
/** Returns the path of a planted file from the repository root. */
const placeOf = (file: string) => (/^(conformance|portal|elements)\//.test(file) ? file : `server/src/${file}`);
/** The other half of the cycle. */
const cycleEnd = { file: 'http/cycle-end.ts', source: `export * from './cycle-begin.ts';` };

/** A copy of the source with the same layout, in which violations can be planted. */
let copy: string;
beforeAll(async () => {
  copy = await mkdtemp(path.join(tmpdir(), 'strongroom-boundaries-'));
  for (const file of [
    '.dependency-cruiser.mjs',
    '.dependency-cruiser-rooms.mjs',
    '.oxlintrc.json',
    'package.json',
    'scripts',
    'server/src',
    'server/test/harness',
    'conformance',
    'portal/src',
    'elements',
  ]) {
    const filter = (source: string) => !['node_modules', 'dist'].includes(path.basename(source));
    await cp(path.join(repository, file), path.join(copy, file), { recursive: true, filter });
  }
  await symlink(path.join(repository, 'node_modules'), path.join(copy, 'node_modules'));
  await symlink(path.join(repository, 'server/node_modules'), path.join(copy, 'server/node_modules'));
});
afterAll(() => rm(copy, { recursive: true }));

describe('who may import whom', () => {
  const flags = ['--config', '.dependency-cruiser.mjs', 'server/src', 'conformance', 'portal/src', 'elements'];
  let planted: string[];
  let complaints: string;
  beforeAll(async () => {
    planted = await Promise.all([...plants, cycleEnd].map(({ file, source }) => plant(file, source)));
    const broken = await runTool('depcruise', flags);
    expect(broken.code).not.toBe(0);
    complaints = broken.stdout;
  });
  afterAll(() => Promise.all(planted.map((file) => rm(file))));

  it.each(plants)('$rule stops $file', ({ rule, file }) => {
    expect(complaints).toContain(`error ${rule}: ${placeOf(file)} → `);
  });

  it('are kept by everything else', () => {
    const places = [...plants, cycleEnd].map(({ file }) => placeOf(file));
    const others = complaints.split('\n').filter((line) => line.includes('error ') && line.includes(' → '));
    expect(others.length).toBeGreaterThanOrEqual(plants.length);
    expect(others.filter((line) => !places.some((place) => line.includes(`: ${place} → `)))).toEqual([]);
  });

  it('has a case for every rule', async () => {
    const { default: configuration } = (await import(path.join(repository, '.dependency-cruiser.mjs'))) as {
      default: { forbidden: { name: string }[] };
    };
    const rules = configuration.forbidden.map(({ name }) => name);
    expect([...new Set(plants.map(({ rule }) => rule))].sort()).toEqual(rules.sort());
  });
});

describe('rooms', () => {
  const filesMax = 25;

  it('build on each other in one direction', async () => {
    const file = await plant('http/pages/to-edge.ts', `import '../edge/edge.ts';`);
    // One floor is enough to see that the rule works. `npm run check:rooms` checks all floors.
    const flags = [
      '--config',
      '.dependency-cruiser-rooms.mjs',
      '--include-only',
      '^server/src/http',
      'server/src/http',
    ];
    const { code, stdout } = await runTool('depcruise', flags);
    await rm(file);
    expect(code).not.toBe(0);
    expect(stdout).toContain('error rooms-in-one-direction: server/src/http/pages → ');
  });

  it(`hold at most ${filesMax} files each, beside tests`, async () => {
    const crowded: string[] = [];
    for (const floor of ['server/src', 'portal/src', 'elements']) {
      const entries = await readdir(path.join(copy, floor), { recursive: true, withFileTypes: true });
      const rooms = entries.filter((entry) => entry.isFile() && /(?<!\.test)\.tsx?$/.test(entry.name));
      const counts = Map.groupBy(rooms, ({ parentPath }) => path.relative(copy, parentPath));
      for (const [room, files] of counts) if (files.length > filesMax) crowded.push(`${room}: ${files.length}`);
    }
    expect(crowded).toEqual([]);
  });
});

describe('the environment', () => {
  const source = `export const planted = process.env['HOME'];\n`;

  it('is read in platform/config only', async () => {
    const files = [
      await plant('features/tokens/environment.ts', source),
      await plant('cli/environment.ts', source),
      await plant('platform/config/environment.ts', source),
    ];
    const { code, stdout } = await runTool('oxlint', ['--format', 'json', ...files]);
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: { code: string; filename: string }[] };
    expect(code).not.toBe(0);
    expect(
      diagnostics.map(({ code, filename }) => `${path.relative(copy, path.resolve(copy, filename))}: ${code}`).sort(),
    ).toEqual([
      'server/src/cli/environment.ts: node(no-process-env)',
      'server/src/features/tokens/environment.ts: node(no-process-env)',
    ]);
    await Promise.all(files.map((file) => rm(file)));
  });
});

describe('SQL', () => {
  /** SQL outside of stores: the file and its source. */
  const strays: readonly (readonly [string, string])[] = [
    ['app/select.ts', `export const planted = 'select 1';`],
    ['http/insert.ts', `export const planted = (table: string) => \`insert into \${table} values (1)\`;`],
    ['features/tokens/query/update.ts', `export const planted = \`\n  UPDATE tokens\n  SET data = null\`;`],
    ['features/tokens/delete-service.ts', `export const planted = ['delete from tokens'];`],
    ['features/logs/with.ts', `export const planted = 'with gone as materialized (table x) table gone';`],
    ['features/logs/lock.ts', `export const planted = 'lock table tokens in share mode';`],
    ['cli/set.ts', `export const planted = 'set local role none';`],
    ['cli/create.ts', `export const planted = 'create unique index i on t (c)';`],
    ['cli/truncate.ts', `export const planted = 'truncate tokens';`],
    ['cli/begin.ts', `export const planted = 'begin';`],
    ['platform/mail/notify.ts', `export const planted = 'notify strongroom_changes';`],
    ['platform/outbound/call.ts', `export const planted = 'pg_sleep(1)';`],
    ['core/parameter.ts', `export const planted = 't.id = $1';`],
    ['core/cast.ts', `export const planted = (a: string) => \`\${a}::bytea[]\`;`],
    ['core/clause.ts', `// é\nexport const planted = 'order by t.created_at desc';\n// the end`],
    ['features/tokens/model/store.ts', `export const planted = { text: 'select id from tokens' };`],
  ];
  const allowed: readonly (readonly [string, string])[] = [
    ['features/logs/planted-store.ts', `export const planted = 'select id from tokens';`],
    ['features/logs/planted-sql.ts', `export const planted = 't.id = $1';`],
    ['platform/database/planted.ts', `export const planted = 'begin';`],
    ['features/logs/planted.test.ts', `export const planted = 'delete from tokens';`],
    ['features/logs/comment.ts', `// select id from tokens\nexport const planted = 1; /* delete from tokens */`],
    ['features/logs/sentence.ts', `export const planted = 'Select what to delete, then update the set of tokens.';`],
  ];
  const check = () => runProgram('scripts/sql-places.mjs', []);

  it('is in stores and the rooms that own tables, and nowhere else', async () => {
    expect(await check()).toMatchObject({ code: 0, stderr: '' });
    const files = await Promise.all([...strays, ...allowed].map(([file, source]) => plant(file, source)));
    const { code, stderr } = await check();
    await Promise.all(files.map((file) => rm(file)));
    expect(code).toBe(1);
    const found = [...stderr.matchAll(/^(\S+:\d+): /gm)].map(([, place]) => String(place));
    const lineOf = (source: string) => source.slice(0, source.indexOf('export')).split('\n').length;
    expect(found.toSorted()).toEqual(strays.map(([file, source]) => `${placeOf(file)}:${lineOf(source)}`).toSorted());
  });

  it('has the same rooms in both rules', async () => {
    const [cruiser, script] = await Promise.all(
      ['.dependency-cruiser.mjs', 'scripts/sql-places.mjs'].map((file) =>
        readFile(path.join(repository, file), 'utf8'),
      ),
    );
    const rooms = /platform(?:\\?\/)\((database[^)]+)\)/;
    expect(rooms.exec(cruiser ?? '')?.[1]).toBe(rooms.exec(script ?? '')?.[1]);
  });
});

async function plant(file: string, source: string): Promise<string> {
  const target = path.join(copy, placeOf(file));
  await mkdir(path.dirname(target), { recursive: true });
  await writeFile(target, `${source}\n`, { flag: 'wx' });
  return target;
}

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a tool of the repository on the copy. */
function runTool(name: string, flags: readonly string[]): Promise<Ended> {
  return runProgram(path.join(repository, 'node_modules/.bin', name), flags);
}

/** Runs a program in the copy, with the same Node.js that runs the tests. */
async function runProgram(program: string, flags: readonly string[]): Promise<Ended> {
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [program, ...flags], {
      cwd: copy,
      maxBuffer: 64 * 1024 * 1024,
    });
    return { code: 0, stdout, stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: unknown; stdout: string; stderr: string };
    if (typeof code !== 'number') throw error;
    return { code, stdout, stderr };
  }
}
