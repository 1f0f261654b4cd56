import { execFile } from 'node:child_process';
import { access, chmod, mkdir, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import type { DevelopmentKeys } from '../../src/app/dev/development-vault.ts';
import { generateRootKey } from '../../src/platform/keyring/kms/file/file-root-key.ts';
import { LocalPostgres } from '../../src/platform/local-postgres/local-postgres.ts';
import { untilTrue } from '../harness/deadline.ts';
import { Program } from '../harness/program.ts';

const run = promisify(execFile);

/** One data directory is used by all cases, in order. */
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

  it('prints lines that show what a vault is for, and each request that they make', async () => {
    const before = await stat(data);
    const program = Program.start(['dev', '--port', '0', '--data', data]);
    printed = await program.output('Stop with Ctrl-C.');
    expect(printed).toContain('DEVELOPMENT ONLY');
    expect(printed).toContain(`Data and secrets are kept in ${data}.`);
    expect(printed).not.toContain('deleted');
    expect(printed).toMatch(/^export VAULT_URL='http:\/\/localhost:\d+'\nexport ELEMENTS_URL=/m);
    expect(printed).toMatch(/Open {10}http:\/\/localhost:(\d+) \(listening on 127\.0\.0\.1:\1\)/);

    const lines = printed.split('\n').filter((line) => line.startsWith('curl '));
    const answers: unknown[] = [];
    for (const line of lines) answers.push(JSON.parse((await run('bash', ['-c', `${line} --fail-with-body`])).stdout));
    const [masked, revealed, record, echoed, stored, ...more] = answers;
    expect(masked).toMatchObject({ id: 'example-card', data: { number: 'XXXXXXXXXXXX4242' } });
    expect(revealed).toMatchObject({ id: 'example-card', data: { number: '4242424242424242' } });
    expect(record).toMatchObject({
      data: [{ entity_id: 'example-card', operation: 'read', outcome: 'success', transform: 'reveal' }],
    });
    expect(echoed).toMatchObject({ method: 'POST', body: { card: { number: '4242424242424242' } } });
    expect(stored).toMatchObject({ id: expect.any(String), data: { number: 'XXXXXXXXXXXX5556' } });
    expect(more).toEqual([]);
    tokenId = (stored as { id: string }).id;

    // Neither sign-in links nor request data are shown.
    const url = /Open +(\S+)/.exec(printed)?.[1] ?? '';
    await fetch(/Sign in +(\S+)/.exec(printed)?.[1] ?? '');
    await fetch(`${url}/tokens?metadata.card=4242424242424242`);
    const shown = await program.output('/tokens?metadata.card');
    expect(
      shown
        .slice(printed.length)
        .replaceAll(/\d\d:\d\d:\d\d|\d+ ms/g, '#')
        .trim()
        .split('\n'),
    ).toEqual([
      '#  GET    /tokens/example-card  200  #  Private',
      '#  GET    /tokens/example-card  200  #  Private, reveals',
      '#  GET    /logs?entity_id&size  200  #  Management',
      '#  POST   /proxy/v1/charges  200  #  Private',
      '#  POST   /tokens  201  #  Private',
      '#  GET    /portal/links/:link  200  #  no key',
      '#  GET    /tokens?metadata.card  401  #  no key',
    ]);
    // Ctrl-C sends this signal.
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
    expect(await read.json()).toMatchObject({ id: tokenId, data: { number: '4000056655665556' } });
    // The following cases use its database, so the process has to stop first.
    expect(await program.stop('SIGKILL')).toMatchObject({ code: null, stderr: '' });
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
    expect((await client.query('select count(*)::integer as tokens from tokens')).rows).toEqual([{ tokens: 2 }]);
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

/**
 * Returns the whole content of the database, without the random word that newer versions of pg_dump add to every dump.
 */
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
