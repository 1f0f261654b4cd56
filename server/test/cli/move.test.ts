import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { generateRootKey, parseRootKey } from '../../src/platform/keyring/kms/file/file-root-key.ts';
import { untilTrue } from '../harness/deadline.ts';
import { ExportFolder } from '../harness/export-run.ts';
import { toLines } from '../harness/import-file.ts';
import { Program } from '../harness/program.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';

const rootKey = generateRootKey();
let vault: TestVault;
let tenant: TestTenant;
let folder: ExportFolder;
let settings: Record<string, string>;
beforeAll(async () => {
  vault = await TestVault.start(parseRootKey(rootKey));
  tenant = await vault.makeTenant('production');
  folder = await ExportFolder.make();
  settings = {
    STRONGROOM_DATABASE_URL: vault.database.url,
    STRONGROOM_ROOT_KEY: rootKey,
    STRONGROOM_PUBLIC_URL: 'https://vault.example.com',
  };
});
afterEach(() => Program.killAll());
afterAll(async () => {
  await vault.stop();
  await folder.remove();
});

const strongroom = (...command: string[]) => Program.run(command, settings);
const importFile = (file: string, ...more: string[]) =>
  strongroom('import', '--tenant', tenant.id, '--file', file, ...more);

/** Pauses an import at its second batch while the work runs, regardless of the speed of the machine. */
async function whileImportIsHeld(work: () => void): Promise<void> {
  const holder = await vault.database.owner.connect();
  try {
    const hold = async () => {
      await holder.query('begin');
      const held = await holder.query(
        'select 1 from token_imports where imported > 0 and finished_at is null for update',
      );
      if (held.rows.length === 0) await holder.query('rollback');
      return held.rows.length > 0;
    };
    await untilTrue(hold, { waitingFor: 'the first batch' });
    work();
    await holder.query('rollback');
  } finally {
    holder.release();
  }
}

describe('import', () => {
  it('says what it did, to people and to machines, and ends with 1 when something was rejected', async () => {
    const file = await folder.write('some.ndjson', toLines({ id: 'one-1', type: 'token', data: 1 }, { type: 'none' }));
    const machine = await importFile(file, '--dry-run', '--json');
    expect({ code: machine.code, ...(JSON.parse(machine.stdout) as object) }).toMatchObject({
      code: 1,
      dry_run: true,
      imported: 1,
      rejected: 1,
      rejects_file: null,
    });
    const people = await importFile(file);
    expect(people.code).toBe(1);
    expect(people.stdout).toBe(
      `1 tokens were imported.\n1 records were rejected. See ${file}.rejects.ndjson for the reasons.\n`,
    );
    expect((await importFile(file)).stderr).toContain('has already been imported');
  });

  it('reads CSV by the name of the file, with a map', async () => {
    const file = await folder.write('some.csv', 'ref,value\ncsv-1,one\n');
    const map = ['--map', 'ref=id', '--map', 'value=data', '--set', 'type=token'];
    expect(await importFile(file, ...map)).toMatchObject({ code: 0, stdout: '1 tokens were imported.\n' });
    expect((await importFile(file, '--map', 'ref=card')).stderr).toContain('"card" is not a token field');
  });

  it('stops after the batch under way on a signal, and goes on with --resume', async () => {
    const rows = Array.from({ length: 6_000 }, (_, index) => ({ type: 'token', data: index }));
    const file = await folder.write('long.ndjson', toLines(...rows));
    const program = Program.start(['import', '--tenant', tenant.id, '--file', file], settings);
    const { code, stdout } = await whileImportIsHeld(() => program.signal('SIGINT')).then(() => program.exit());
    expect(code).toBe(1);
    expect(stdout).toMatch(/Stopped after line \d+000\. Continue with --resume\./);
    expect(await importFile(file, '--resume')).toMatchObject({ code: 0, stdout: '6,000 tokens were imported.\n' });
  });

  it('says what to do about a tenant or a file that is not there', async () => {
    const file = await folder.write('other.ndjson', '');
    const foreign = await strongroom('import', '--tenant', crypto.randomUUID(), '--file', file);
    expect(foreign).toMatchObject({ code: 1, stderr: 'There is no such tenant.\n' });
    expect((await importFile(folder.path('absent'))).stderr).toContain('cannot be read. Check its name');
    expect((await importFile(folder.directory)).stderr).toContain('is not a regular file');
  });
});

describe('export', () => {
  it('asks, waits for approvals, can be withdrawn, and says so', async () => {
    const recipient = ['--recipient', folder.age.text];
    const asked = await strongroom('export', 'request', '--tenant', tenant.id, ...recipient, '--json');
    const { id } = JSON.parse(asked.stdout) as { id: string };
    expect(JSON.parse(asked.stdout)).toMatchObject({
      status: 'waiting',
      approvals_needed: 2,
      approve_at: 'https://vault.example.com/portal/exports',
    });
    const which = ['--tenant', tenant.id, '--export', id];
    const early = await strongroom('export', 'run', ...which, '--output', folder.path('early.age'));
    expect(early).toMatchObject({ code: 1, stderr: expect.stringContaining('This export has 0 of 2 approvals.') });
    expect((await strongroom('export', 'cancel', ...which)).stdout).toBe(`Export ${id} is cancelled.\n`);
    expect((await strongroom('export', 'status', ...which)).stdout).toContain('is refused: 0 of 2 approvals.');
  });

  it('writes a file for the recipient, and checks it', async () => {
    const testTenant = await vault.makeTenant('test');
    const body = { type: 'token', data: 'out' };
    expect((await vault.request('POST', '/tokens', { key: testTenant.keys.private, body })).status).toBe(201);
    const asked = await strongroom('export', 'request', '--tenant', testTenant.id, '--recipient', folder.age.text);
    const [, id = ''] = /--export (\S+)/.exec(asked.stdout) ?? [];
    const output = folder.path('cli.age');
    const ran = await strongroom('export', 'run', '--tenant', testTenant.id, '--export', id, '--output', output);
    expect(ran).toMatchObject({
      code: 0,
      stdout: `1 tokens were written to ${output}, and their hashes to ${output}.manifest.\n`,
    });
    const plain = await folder.decryptAge(output);
    const check = (file: string) => strongroom('export', 'check', '--file', file, '--manifest', `${output}.manifest`);
    expect(await check(plain)).toMatchObject({ code: 0, stdout: 'All 1 rows match the manifest.\n' });
    await writeFile(plain, (await readFile(plain, 'utf8')).replace('"out"', '"cut"'));
    expect((await check(plain)).code).toBe(1);
  });

  it('refuses what is no recipient', async () => {
    const ask = (...recipient: string[]) => strongroom('export', 'request', '--tenant', tenant.id, ...recipient);
    expect((await ask()).stderr).toContain('either --recipient age1… or --pgp-key <file>');
    expect((await ask('--recipient', 'age1nothing')).stderr).toContain('is not an age recipient');
    const key = await folder.write('no.asc', 'nothing');
    expect((await ask('--pgp-key', key)).stderr).toContain('does not contain exactly one armored OpenPGP key');
  });
});
