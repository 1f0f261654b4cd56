import { execFile } from 'node:child_process';
import { access, chmod, mkdir, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import type { DevelopmentKeys } from '../../src/app/development-vault.ts';
import { generateRootKey } from '../../src/platform/keyring/kms/file-root-key.ts';
import { LocalPostgres } from '../../src/platform/local-postgres/local-postgres.ts';
import { untilTrue } from '../harness/deadline.ts';
import { Program } from '../harness/program.ts';

const run = promisify(execFile);

/** A data directory through several runs, in the order of the cases. */
let parent: string;
let data: string;
beforeAll(async () => {
  parent = await mkdtemp(path.join(tmpdir(), 'strongroom-dev-data-'));
  await chmod(parent, 0o755);
  data = path.join(parent, 'of the operator');
  await mkdir(data);
  await chmod(data, 0o775);
});
afterEach(() => Program.killAll());
afterAll(() => rm(parent, { recursive: true }));

describe('strongroom dev --data', () => {
  let printed: string;
  let tokenId: string;

  it('prints a command that stores the first token', async () => {
    const before = await stat(data);
    const program = Program.start(['dev', '--port', '0', '--data', data]);
    printed = await program.output('Stop with Ctrl-C.');
    expect(printed).toContain('DEVELOPMENT ONLY');
    const command = printed.split('\n').find((line) => line.startsWith('curl ')) ?? '';
    const { stdout } = await run('bash', ['-c', `${command} --silent --fail`]);
    const token = JSON.parse(stdout) as { id: string };
    expect(token).toMatchObject({ id: expect.any(String), type: 'token' });
    tokenId = token.id;
    // What Ctrl-C sends.
    expect(await program.stop('SIGINT')).toMatchObject({ code: 0, stderr: '' });

    const after = await stat(data);
    expect([after.uid, after.gid, after.mode]).toEqual([before.uid, before.gid, before.mode]);
    expect((await stat(path.join(data, 'strongroom-dev.json'))).mode & 0o777).toBe(0o600);
  });

  it('keeps the tenant, its keys, the root key and the token for the next run', async () => {
    const program = Program.start(['dev', '--port', '0', '--json', '--data', data]);
    const ready = await program.ready<{ url: string; tenant_id: string; keys: DevelopmentKeys }>();
    for (const kept of [ready.tenant_id, ...Object.values(ready.keys)]) expect(printed).toContain(kept);
    const headers = { 'bt-api-key': ready.keys.reveal };
    const read = await fetch(`${ready.url}/tokens/${tokenId}`, { headers });
    expect(await read.json()).toMatchObject({ id: tokenId, data: 'Sensitive Value' });
    expect(await program.stop()).toMatchObject({ code: 0, stderr: '' });
  });

  it('refuses another root key with both fingerprints and what to do, and writes nothing', async () => {
    const before = [await readRemembered(), await dump()];
    const environment = { STRONGROOM_ROOT_KEY: generateRootKey() };
    const { code, stderr } = await Program.run(['dev', '--port', '0', '--json', '--data', data], environment);
    expect(code).toBe(1);
    const { error } = JSON.parse(stderr) as { error: string };
    expect(new Set(error.match(/file:[0-9a-f]{16}/g)).size).toBe(2);
    expect(error).toMatch(/^Wrong root key: .* Nothing was changed\. Configure the key with the fingerprint .*$/);
    expect([await readRemembered(), await dump()]).toEqual(before);
  });

  it('says the same to people in one line', async () => {
    const environment = { STRONGROOM_ROOT_KEY: generateRootKey() };
    const { code, stderr } = await Program.run(['dev', '--port', '0', '--data', data], environment);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^Wrong root key: [^\n]*\n$/);
  });

  it('starts again after a crash of PostgreSQL', async () => {
    const postgres = await startPostgres();
    const pid = Number.parseInt(await readFile(path.join(postgres.dataDirectory, 'postmaster.pid'), 'utf8'), 10);
    const children = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim().split(' ');
    process.kill(pid, 'SIGKILL');
    await postgres.stop();
    const isGone = (child: string) =>
      access(`/proc/${child}`).then(
        () => false,
        () => true,
      );
    await untilTrue(async () => (await Promise.all(children.map(isGone))).every(Boolean), {
      waitingFor: 'the end of the processes that PostgreSQL had started',
    });
    expect(await readFile(path.join(postgres.dataDirectory, 'postmaster.pid'), 'utf8')).toContain(String(pid));
    const again = await startPostgres();
    const client = new pg.Client({ connectionString: again.url });
    await client.connect();
    expect((await client.query('select count(*)::integer as tokens from tokens')).rows).toEqual([{ tokens: 1 }]);
    await client.end();
    await again.stop();
  });
});

function readRemembered(): Promise<string> {
  return readFile(path.join(data, 'strongroom-dev.json'), 'utf8');
}

async function startPostgres(): Promise<LocalPostgres> {
  const { databasePassword } = JSON.parse(await readRemembered()) as { databasePassword: string };
  return LocalPostgres.start({ password: databasePassword, dataDirectory: data });
}

/** The whole content of the database, without the word that newer versions of pg_dump make up for every dump. */
async function dump(): Promise<string> {
  const postgres = await startPostgres();
  try {
    const program = path.join(inject('postgresBinaryDirectory'), 'pg_dump');
    const { stdout } = await run(program, ['--dbname', postgres.url], { maxBuffer: 64 * 1024 * 1024 });
    return stdout.replaceAll(/^\\(un)?restrict .*$/gm, '');
  } finally {
    await postgres.stop();
  }
}
