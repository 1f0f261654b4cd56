import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { FileRootKey, generateRootKey, parseRootKey } from '../../src/platform/keyring/kms/file/file-root-key.ts';
import { untilTrue } from '../harness/deadline.ts';
import { Program } from '../harness/program.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';

const [rootKey, acmeKey] = [generateRootKey(), generateRootKey()];
const vaultId = idOf(rootKey);
const acmeId = `${idOf(acmeKey)}@acme`;

let database: TestDatabase;
let settings: Record<string, string>;
let tenantId: string;
beforeAll(async () => {
  database = await createTestDatabase();
  const own = JSON.stringify({ acme: { STRONGROOM_ROOT_KEY: acmeKey } });
  settings = {
    STRONGROOM_DATABASE_URL: database.url,
    STRONGROOM_ROOT_KEY: rootKey,
    STRONGROOM_TENANT_ROOT_KEYS: own,
  };
  tenantId = await bootstrap();
});
afterEach(() => Program.killAll());
afterAll(() => database.drop());

function idOf(key: string): string {
  return new FileRootKey(parseRootKey(key) ?? Buffer.alloc(0)).id;
}

async function bootstrap(...flags: string[]): Promise<string> {
  const { stdout } = await Program.run(['bootstrap', '--name', 'Acme', '--json', ...flags], settings);
  return (JSON.parse(stdout) as { tenant_id: string }).tenant_id;
}

const rewrap = (...flags: string[]) => Program.run(['keys', 'rewrap', '--tenant', tenantId, ...flags], settings);
const wrappersOf = async (id: string) => {
  const text = 'select distinct root_key from tenant_keys where tenant_id = $1';
  const { rows } = await database.owner.query<{ root_key: string }>(text, [id]);
  return rows.map((row) => row.root_key);
};

describe('strongroom with root keys of tenants', () => {
  it('gives one to a tenant when it is created, and lists it', async () => {
    const made = await bootstrap('--root-key', 'acme');
    expect(await wrappersOf(made)).toEqual([acmeId]);
    const { stdout } = await Program.run(['keys', 'list', '--json'], settings);
    expect(JSON.parse(stdout)).toMatchObject({
      root_keys: [{ id: vaultId, wraps: true }],
      own_root_keys: [{ name: 'acme', configured: true, tenants: [made] }],
    });
    const bare = { ...settings, STRONGROOM_TENANT_ROOT_KEYS: '' };
    expect((await Program.run(['keys', 'list'], bare)).stdout).toContain('acme  NOT CONFIGURED HERE');
  });

  it('gives one to a tenant that exists, and takes it away again', async () => {
    expect(await rewrap('--root-key', 'acme', '--json')).toMatchObject({ code: 0 });
    expect(await wrappersOf(tenantId)).toEqual([acmeId]);
    expect((await rewrap('--vault')).stdout).toContain(`3 keys were rewrapped. All are wrapped by ${vaultId}.`);
    expect(await wrappersOf(tenantId)).toEqual([vaultId]);
  });

  it('wants to be told which one, and knows those in the settings only', async () => {
    for (const flags of [[], ['--vault', '--root-key', 'acme']]) expect((await rewrap(...flags)).code).toBe(1);
    const { code, stderr } = await rewrap('--root-key', 'globex');
    expect([code, stderr]).toEqual([1, expect.stringContaining('no root key named "globex"')]);
  });

  it('changes nothing if it is killed in the middle of the transaction', async () => {
    // The first key has been updated by the time the process waits for this lock.
    await database.owner.query('begin');
    await database.owner.query('lock table audit_records in share mode');
    const program = Program.start(['keys', 'rewrap', '--tenant', tenantId, '--root-key', 'acme'], settings);
    const waits = `select from pg_locks where not granted and relation = 'audit_records'::regclass`;
    await untilTrue(async () => (await database.owner.query(waits)).rows.length > 0, { waitingFor: 'the lock' });
    await program.stop('SIGKILL');
    await database.owner.query('rollback');
    expect(await wrappersOf(tenantId)).toEqual([vaultId]);
    expect((await rewrap('--root-key', 'acme')).code).toBe(0);
    expect(await wrappersOf(tenantId)).toEqual([acmeId]);
    expect((await rewrap('--vault')).code).toBe(0);
  });

  it('refuses while a running server does not have the same list', async () => {
    const bare = { ...settings, STRONGROOM_TENANT_ROOT_KEYS: '', STRONGROOM_PORT: '0', STRONGROOM_ADMIN_PORT: '0' };
    const server = Program.start(['serve', '--json'], { ...bare, STRONGROOM_PUBLIC_URL: 'http://localhost' });
    await server.ready();
    const { code, stderr } = await rewrap('--root-key', 'acme');
    expect([code, stderr]).toEqual([1, expect.stringContaining('Give all of them the settings of this command first')]);
    expect(await wrappersOf(tenantId)).toEqual([vaultId]);
    await server.stop();
  });
});
