import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { FileRootKey, generateRootKey, parseRootKey } from '../../src/platform/keyring/kms/file/file-root-key.ts';
import { Program } from '../harness/program.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';

let database: TestDatabase;
let settings: Record<string, string>;
let tenantId: string;
const rootKey = generateRootKey();
const { id: rootKeyId } = new FileRootKey(parseRootKey(rootKey) ?? Buffer.alloc(0));
beforeAll(async () => {
  database = await createTestDatabase();
  settings = { STRONGROOM_DATABASE_URL: database.url, STRONGROOM_ROOT_KEY: rootKey };
  const { stdout } = await Program.run(['bootstrap', '--name', 'Acme', '--json'], settings);
  ({ tenant_id: tenantId } = JSON.parse(stdout) as { tenant_id: string });
});
afterEach(() => Program.killAll());
afterAll(() => database.drop());

const run = (...command: string[]) => Program.run(['keys', ...command], settings);

describe('strongroom keys', () => {
  it('wants to be told for whom a key is changed', async () => {
    for (const flags of [[], ['--all', '--tenant', tenantId]]) {
      const { code, stderr } = await run('rotate', 'data', ...flags);
      expect(code).toBe(1);
      expect(stderr).toContain('Specify either --tenant <id> or --all');
    }
  });

  it('leads from one data key to the next, and says at each step what comes then', async () => {
    const nothing = await run('retire', '--tenant', tenantId);
    expect(nothing.stdout).toContain('no key is closed');
    const rotated = await run('rotate', 'data', '--all');
    expect(rotated.stdout).toContain(`Tenant ${tenantId} now encrypts with data key 2.`);
    const moved = await run('reencrypt', '--tenant', tenantId, '--json');
    expect(JSON.parse(moved.stdout)).toEqual({
      tenant_id: tenantId,
      version: 2,
      rows_read: 0,
      rows_changed: 0,
      unreadable: [],
    });
    const listed = await run('list', '--rows', '--json');
    const { root_keys: roots, keys } = JSON.parse(listed.stdout) as { root_keys: unknown; keys: object[] };
    expect(roots).toEqual([{ id: rootKeyId, wraps: true }]);
    expect(keys).toMatchObject([
      { purpose: 'data', version: 1, root_key: rootKeyId, rows: 0, closed_at: expect.any(String) },
      { purpose: 'data', version: 2, rows: 0, closed_at: null },
      { purpose: 'fingerprint', version: 1 },
      { purpose: 'index', version: 1 },
    ]);
    expect((await run('list')).stdout).toMatch(/data 1 +closed/);
  });

  it('replaces the key between servers, and says that they must be restarted', async () => {
    const exchangeRow = () => database.owner.query(`select wrapped from system_keys where purpose = 'exchange'`);
    const before = (await exchangeRow()).rows;
    const { stdout, code } = await run('rotate', 'exchange');
    expect([code, stdout]).toEqual([0, expect.stringContaining('Stop every server and worker')]);
    expect((await exchangeRow()).rows).not.toEqual(before);
    const { stdout: json } = await run('rotate', 'exchange', '--json');
    expect(JSON.parse(json)).toEqual({ purpose: 'exchange', root_key: rootKeyId });
  });

  it('has nothing to do where everything is under the root key already', async () => {
    const { stdout } = await run('rotate', 'root', '--json');
    expect(JSON.parse(stdout)).toEqual({ root_key: rootKeyId, rewrapped: 0, untouched: 8 });
  });
});
