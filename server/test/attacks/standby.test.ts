import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { migrate } from '../../src/platform/database/migrations/migrator.ts';
import { generateRootKey } from '../../src/platform/keyring/kms/file/file-root-key.ts';
import type { LocalPostgres } from '../../src/platform/local-postgres/local-postgres.ts';
import { ArchivedPostgres } from '../harness/archived-postgres.ts';
import { Program } from '../harness/program.ts';
import { openTestDatabase } from '../harness/test-database.ts';

let primary: ArchivedPostgres;
let standby: LocalPostgres;
let settings: Record<string, string>;
beforeAll(async () => {
  primary = await ArchivedPostgres.start();
  await migrate(primary.postgres.url);
  await primary.takeBaseBackup();
  standby = await primary.startStandby();
  settings = {
    STRONGROOM_DATABASE_URL: standby.url,
    STRONGROOM_ROOT_KEY: generateRootKey(),
    STRONGROOM_PUBLIC_URL: 'http://localhost',
    STRONGROOM_PORT: '0',
    STRONGROOM_ADMIN_PORT: '0',
    STRONGROOM_WORKER_ADMIN_PORT: '0',
  };
});
afterEach(() => Program.killAll());
afterAll(() => primary.stop());

describe('a standby', () => {
  it.each([['serve'], ['work'], ['migrate'], ['bootstrap', '--name', 'Acme']])(
    '%s refuses it in one line',
    async (...command) => {
      const { code, stdout, stderr } = await Program.run(command, settings);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(/^The database is a standby [^\n]* Point STRONGROOM_DATABASE_URL to the primary[^\n]*\n$/);
    },
  );

  it('doctor refuses it', async () => {
    const { code, stdout } = await Program.run(['doctor'], settings);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^FAIL connection: The database is a standby .*$/m);
  });

  it('gives no connection, and one as soon as it is promoted', async () => {
    const test = openTestDatabase(standby.url);
    const database = test.open();
    const ask = () => database.forSystem((tx) => tx.query({ text: 'select 1 as one' }));
    await expect(ask()).rejects.toMatchObject({ cause: { message: expect.stringContaining('is a standby') } });
    const client = new pg.Client({ connectionString: standby.url });
    await client.connect();
    await client.query('select pg_promote(true)');
    await client.end();
    expect(await ask()).toEqual([{ one: 1 }]);
    await test.drop();
    expect((await Program.run(['doctor'], settings)).stdout).toMatch(/^ok   connection: connects to a primary/m);
  });
});
