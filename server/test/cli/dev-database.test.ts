import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { generateRootKey } from '../../src/platform/keyring/kms/file/file-root-key.ts';
import { Program } from '../harness/program.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';

/** A database created by somebody else, with a vault in it. */
let database: TestDatabase;
let name: string;
let settings: Readonly<Record<string, string>>;
beforeAll(async () => {
  database = await createTestDatabase();
  name = new URL(database.url).pathname.slice(1);
  settings = { STRONGROOM_DATABASE_URL: database.url, STRONGROOM_ROOT_KEY: generateRootKey() };
});
afterEach(() => Program.killAll());
afterAll(() => database.drop());

const countTenants = async () =>
  (await database.owner.query<{ tenants: number }>('select count(*)::integer as tenants from tenants')).rows[0]
    ?.tenants;

describe('strongroom dev with STRONGROOM_DATABASE_URL set', () => {
  it.each([
    ['without the name of the database', [], 'Unset it, or name the database'],
    ['with the name of another', ['--use-database', 'production'], 'Nothing was changed'],
    ['to fill it with examples', ['--use-database', 'production', '--seed'], 'cannot be combined'],
    ['with a directory for another', ['--use-database', 'production', '--data', 'd'], 'cannot be combined'],
  ])('refuses to start %s', async (_case, options, reason) => {
    const { code, stdout, stderr } = await Program.run(['dev', '--port', '0', ...options], settings);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(reason);
    expect(stderr).not.toContain(database.url);
    expect(await countTenants()).toBe(0);
  });

  it('needs the root key that outlives it', async () => {
    const environment = { STRONGROOM_DATABASE_URL: database.url };
    const { code, stderr } = await Program.run(['dev', '--use-database', name], environment);
    expect(code).toBe(2);
    expect(stderr).toContain('STRONGROOM_ROOT_KEY is not set');
  });

  it('uses the database that it is told by name, says that everything stays, and is quiet if told so', async () => {
    const program = Program.start(['dev', '--port', '0', '--quiet', '--use-database', name], settings);
    const printed = await program.output('Stop with Ctrl-C.');
    expect(printed).toContain(`Database "${name}" was migrated; the new tenant and its data stay in it when you stop.`);
    expect(printed).not.toContain('deleted');
    // These values are not printed, because the user who set them knows them.
    expect(printed).not.toContain(database.url);
    expect(printed).not.toContain(settings['STRONGROOM_ROOT_KEY']);
    const url = /Open +(\S+)/.exec(printed)?.[1] ?? '';
    expect((await fetch(`${url}/tokens`)).status).toBe(401);
    const { code, stdout } = await program.stop();
    expect([code, stdout.slice(printed.length).trim()]).toEqual([0, '']);
    expect(await countTenants()).toBe(1);
  });
});
