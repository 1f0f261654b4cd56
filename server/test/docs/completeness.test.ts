import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { RouteOptions } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProgram } from '../../src/cli/command-line.ts';
import { permissionCatalog } from '../../src/core/access/permission.ts';
import { filterCatalog } from '../../src/core/expressions/filters/filter-catalog.ts';
import { keysOf } from '../../src/core/objects/keys-of.ts';
import { tokenTypeNames } from '../../src/core/token-types/token-type-catalog.ts';
import { toCanonicalSettings } from '../../src/features/tenants/tenant-settings.ts';
import { problemCatalog } from '../../src/http/problems/problem-catalog.ts';
import { alertRules } from '../../src/platform/audit/watch/alert-rule.ts';
import { allSettings } from '../../src/platform/config/config.ts';
import { settingsOf } from '../../src/platform/config/reading.ts';
import { rateLimitScopes } from '../../src/platform/rate-limit/rate-limit-table.ts';
import { readRuleFiles } from '../harness/alert-rules.ts';
import { tapRoutes } from '../harness/route-tap.ts';
import { TestVault } from '../harness/test-vault.ts';
import { mentions, readDocumentation, repository, sectionOf } from './documentation.ts';
import { operationsOf } from './reference/api-operations.ts';
import { flagsOf, listCommands } from './reference/command-page.ts';
import { settingGroups } from './reference/setting-groups.ts';

// Everything that an operator or a client can name is documented, and the documentation names no
// setting that does not exist.

let pages: ReadonlyMap<string, string>;
let text: string;
beforeAll(async () => {
  pages = await readDocumentation();
  text = [...pages.values()].join('\n');
});

const missing = (names: readonly string[]) => names.filter((name) => !mentions(text, name));

describe('settings', () => {
  it('are all in one group of the reference', () => {
    expect(allSettings.length).toBeGreaterThan(70);
    const grouped = settingGroups.flatMap(({ readings }) => settingsOf(readings).map(({ variable }) => variable));
    expect(grouped.toSorted()).toEqual(allSettings.map(({ variable }) => variable).toSorted());
  });

  it('are all documented', () => {
    const rows = allSettings.map(({ variable }) => `| \`${variable}\` `);
    expect(rows.filter((row) => pages.get('reference/settings.md')?.includes(row) !== true)).toEqual([]);
  });

  it('exist if they are documented', async () => {
    const known = new Set(allSettings.flatMap(({ variable, fileVariable }) => [variable, fileVariable]));
    // A deployment has its own variables.
    const deployments = await readdir(path.join(repository, 'deploy'), { recursive: true, withFileTypes: true });
    const files = deployments.filter((file) => file.isFile()).map((file) => path.join(file.parentPath, file.name));
    const deployed = (await Promise.all(files.map((file) => readFile(file, 'utf8')))).join('\n');
    const named = new Set([...text.matchAll(/\bSTRONGROOM_[A-Z0-9_]+/g)].map(([name]) => name));
    const isMeant = (name: string) =>
      known.has(name) ||
      mentions(deployed, name) ||
      (name.endsWith('_') && [...known].some((it) => it.startsWith(name)));
    expect([...named].filter((name) => !isMeant(name))).toEqual([]);
  });

  it('of a tenant are all documented', () => {
    expect(missing(Object.keys(JSON.parse(toCanonicalSettings({})) as object))).toEqual([]);
  });
});

describe('the command line', () => {
  const commands = listCommands(createProgram(false)).filter(({ command }) => command.commands.length === 0);

  it.each(commands)('$name is documented with its flags', ({ name, command }) => {
    const section = sectionOf(pages.get('reference/cli.md') ?? '', name);
    expect(section).toContain(command.description());
    const rows = flagsOf(command).map(({ flags }) => `| \`${flags}\` `);
    expect(rows.filter((row) => !section.includes(row))).toEqual([]);
  });
});

describe('what a vault shows', () => {
  let vault: TestVault;
  let servers: readonly RouteOptions[][];
  beforeAll(async () => {
    ({ started: vault, servers } = await tapRoutes(() => TestVault.start()));
  });
  afterAll(() => vault.stop());

  it('in endpoints is documented', async () => {
    const operations = operationsOf((await vault.request('GET', '/openapi.json')).body);
    expect(operations.length).toBeGreaterThan(50);
    expect(operations.filter(({ method, path }) => !text.includes(`\`${method} ${path}\``))).toEqual([]);
  });

  it('in endpoints for health and metrics is documented', () => {
    const admin = servers.find((routes) => routes.some(({ url }) => url === '/livez')) ?? [];
    const urls = new Set(admin.map(({ url }) => url));
    expect([...urls].filter((url) => !text.includes(`\`GET ${url}\``))).toEqual([]);
    expect(urls.size).toBe(3);
  });

  // test/guarantees/metrics.test.ts compares the metrics of servers and workers, with their labels.
  it('in metrics is documented', async () => {
    const { text: scraped } = await vault.request('GET', '/metrics', { url: vault.server.adminUrl });
    const names = [...scraped.matchAll(/^# TYPE (strongroom_\w+)/gm)].map(([, name = '']) => name);
    expect(names.length).toBeGreaterThan(15);
    expect(missing(names)).toEqual([]);
  });

  it('in errors is documented', () => {
    const codes = keysOf(problemCatalog);
    const page = pages.get('reference/errors.md') ?? '';
    expect(codes.filter((code) => !sectionOf(page, code).includes(`**${problemCatalog[code].status}.**`))).toEqual([]);
  });

  it.each([
    ['permissions', permissionCatalog.map(({ type }) => type)],
    ['filters of expressions', [...filterCatalog.keys()].map((name) => String.raw`\| ${name}`)],
    ['types of tokens', tokenTypeNames],
    ['rate limits', rateLimitScopes],
  ])('in %s is documented', (_what, names) => {
    expect(names.length).toBeGreaterThan(3);
    expect(missing(names)).toEqual([]);
  });
});

describe('what operators watch', () => {
  it('in alerts is documented, each with a runbook', async () => {
    const rules = (await readRuleFiles()).flatMap(({ groups }) => groups.flatMap((group) => group.rules));
    const alerts = rules.flatMap(({ alert }) => alert ?? []);
    expect(alerts.length).toBeGreaterThan(20);
    expect(missing(alerts)).toEqual([]);
    const runbooks = [...pages].filter(([name]) => name.startsWith('runbooks/')).map(([, page]) => page);
    expect(alerts.filter((alert) => !runbooks.some((page) => page.includes(`\nAlert \`${alert}\`. **`)))).toEqual([]);
  });

  it('in alerts of the audit log is documented', () => {
    expect(missing(alertRules)).toEqual([]);
  });
});
