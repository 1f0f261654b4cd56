import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';
import { repository } from './documentation.ts';
import { isKnownCommand } from './known-command.ts';

// A runbook is read in a hurry. Its commands cannot be run as they are, because they need a vault that has a problem.
// Everything that could be wrong with them is checked separately.

const run = promisify(execFile);
let text: string;
let database: TestDatabase;
let folder: string;
beforeAll(async () => {
  const pages = await readdir(path.join(repository, 'docs/runbooks'));
  text = (await Promise.all(pages.map((page) => readFile(path.join(repository, 'docs/runbooks', page), 'utf8')))).join(
    '\n',
  );
  database = await createTestDatabase();
  folder = await mkdtemp(path.join(tmpdir(), 'strongroom-runbooks-'));
});
afterAll(async () => {
  await database.drop();
  await rm(folder, { recursive: true });
});

const linesOf = (pattern: RegExp) => [...new Set([...text.matchAll(pattern)].map(([, found = '']) => found))];

describe('runbooks', () => {
  it('ask PostgreSQL what it understands, of tables that exist', async () => {
    const statements = linesOf(/^psql -c (?:"([^"]+)"|'[^']+')/gm).filter(Boolean);
    expect(statements.length).toBeGreaterThan(10);
    for (const statement of statements) await database.owner.query(statement);
  });

  it('ask Prometheus what it understands', async () => {
    const queries = linesOf(/^promtool query instant \S+ '([^']+)'/gm);
    expect(queries.length).toBeGreaterThan(20);
    const rules = queries.map((expr, index) => ({ record: `runbook:${index}`, expr }));
    await writeFile(path.join(folder, 'rules.yaml'), JSON.stringify({ groups: [{ name: 'runbooks', rules }] }));
    const { stdout } = await run('promtool', ['check', 'rules', path.join(folder, 'rules.yaml')]);
    expect(stdout).toContain(`${queries.length} rules found`);
  });

  it('name commands and flags of the program', () => {
    const commands = [
      ...linesOf(/^docker compose exec \w+ strongroom ([a-z -]+[a-z])/gm),
      ...linesOf(/^docker compose run --rm --no-deps work ([a-z -]+[a-z])/gm),
    ];
    expect(commands.length).toBeGreaterThan(4);
    expect(commands.filter((command) => !isKnownCommand(command))).toEqual([]);
  });

  it('do not run anything in the container of a worker that does not respond, except to see whether it does', async () => {
    const page = await readFile(path.join(repository, 'docs/runbooks/no-worker.md'), 'utf8');
    const inside = [...page.matchAll(/^docker compose exec work strongroom (.+)$/gm)].map(([, command]) => command);
    expect(inside).toEqual(['healthcheck work']);
  });

  it('name services of the Compose file', async () => {
    const compose = await readFile(path.join(repository, 'deploy/compose/compose.yaml'), 'utf8');
    const services = linesOf(/^docker compose exec (\w+) /gm);
    expect(services.length).toBeGreaterThan(1);
    for (const service of services) expect(compose).toContain(`\n  ${service}:\n`);
  });
});
