import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, chown, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { examineRedis } from '../../src/app/doctor/redis-check.ts';
import { examineSecretFiles } from '../../src/app/doctor/secret-file-check.ts';
import { checkTransport } from '../../src/app/doctor/transport-check.ts';
import { readDatabaseConfig } from '../../src/platform/config/config.ts';
import { LocalPostgres } from '../../src/platform/local-postgres/local-postgres.ts';
import { untilPasses } from '../harness/deadline.ts';
import { LocalRedis } from '../harness/local-redis.ts';
import { Program } from '../harness/program.ts';

const run = promisify(execFile);
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'strongroom-surroundings-'));
});
afterEach(() => Program.killAll());
afterAll(() => rm(folder, { recursive: true }));

describe('files with secrets', () => {
  const examined = async (mode: number) => {
    const file = path.join(folder, 'root-key');
    await writeFile(file, 'secret');
    await chmod(file, mode);
    return { file, finding: examineSecretFiles({ STRONGROOM_ROOT_KEY_FILE: file }) };
  };

  it('fail if every user can change them', async () => {
    const { file, finding } = await examined(0o666);
    expect(finding).toMatchObject({ isOk: false, detail: `every user of this machine can change ${file}` });
    expect(finding?.remedy).toContain(`chmod 400 ${file}`);
  });

  it('are warned of if every user can read them', async () => {
    const { file, finding } = await examined(0o644);
    expect(finding).toMatchObject({
      isOk: true,
      isWarning: true,
      detail: `every user of this machine can read ${file}`,
    });
  });

  it.each([0o400, 0o440, 0o600])('pass with mode %o', async (mode) => {
    const { finding } = await examined(mode);
    expect(finding).toMatchObject({ name: 'secret files', isOk: true });
    expect(finding?.isWarning).toBeUndefined();
  });

  it('are not mentioned if there are none, and a certificate is no secret', async () => {
    const { file } = await examined(0o666);
    expect(examineSecretFiles({ STRONGROOM_AWS_KMS_CA_FILE: file })).toBeUndefined();
  });

  it('are part of what the command prints, and fail it', async () => {
    const { file } = await examined(0o666);
    const { code, stdout } = await Program.run(['doctor'], {
      STRONGROOM_DATABASE_URL: 'postgresql://127.0.0.1:1/none',
      STRONGROOM_ROOT_KEY: randomBytes(32).toString('base64'),
      STRONGROOM_SMTP_URL_FILE: file,
    });
    expect(code).toBe(1);
    expect(stdout).toContain(`FAIL secret files: every user of this machine can change ${file}`);
  });
});

describe('Redis', () => {
  it('fails with the reason if it is unreachable, and passes if it responds', async () => {
    expect(await examineRedis('redis://127.0.0.1:1')).toMatchObject({
      isOk: false,
      detail: 'unreachable: connection refused',
      remedy: expect.stringContaining('STRONGROOM_REDIS_URL'),
    });
    const redis = await LocalRedis.start();
    expect(await examineRedis(redis.url)).toMatchObject({ isOk: true, detail: 'responds' });
    await redis.stop();
  });
});

describe('the connection to PostgreSQL', () => {
  let postgres: LocalPostgres;
  let relay: Server;
  let remote: URL;
  let authority: string;
  beforeAll(async () => {
    postgres = await LocalPostgres.start({ password: randomBytes(16).toString('hex') });
    const outer = Object.values(networkInterfaces())
      .flat()
      .find((it) => it?.internal === false && it.family === 'IPv4');
    if (outer === undefined) throw new Error('This test needs a network interface besides loopback.');
    remote = new URL(postgres.url);
    relay = createServer((near) => {
      const far = connect(Number(new URL(postgres.url).port), '127.0.0.1');
      near.pipe(far).pipe(near);
      for (const socket of [near, far]) socket.on('error', () => undefined);
    });
    await new Promise<void>((resolve) => relay.listen(0, outer.address, resolve));
    const bound = relay.address();
    remote.hostname = outer.address;
    remote.port = String(typeof bound === 'object' ? bound?.port : 0);
    authority = path.join(folder, 'authority.pem');
  });
  afterAll(async () => {
    await postgres.stop();
    await new Promise((resolve) => relay.close(resolve));
  });

  const check = (url: string) => checkTransport(readDatabaseConfig({ STRONGROOM_DATABASE_URL: url }));
  const withParameters = (parameters: Record<string, string>) => {
    const url = new URL(remote);
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return url.href;
  };

  it('passes on this machine, and is warned of elsewhere without TLS', async () => {
    expect(await check(postgres.url)).toMatchObject({ verdict: 'ok', detail: expect.stringContaining('not needed') });
    expect(await check(remote.href)).toMatchObject({
      verdict: 'warn',
      detail: `the connection to ${remote.hostname} is not encrypted`,
      remedy: expect.stringContaining('sslmode=verify-full'),
    });
  });

  it('passes with TLS and a checked certificate, and is warned of if nothing checks it', async () => {
    await enableTls(postgres, { host: remote.hostname, authority });
    await untilPasses(async () =>
      expect(await check(withParameters({ sslmode: 'verify-full', sslrootcert: authority }))).toEqual({
        name: 'database TLS',
        verdict: 'ok',
        detail: 'connections are encrypted, and the certificate of PostgreSQL is checked',
      }),
    );
    expect(await check(withParameters({ sslmode: 'no-verify' }))).toMatchObject({
      verdict: 'warn',
      detail: `the certificate of ${remote.hostname} is not checked`,
    });
    await expect(check(withParameters({ sslmode: 'verify-full' }))).rejects.toThrow('no trusted TLS connection');
  });
});

/** Gives PostgreSQL a certificate for the host, which is its own authority. */
async function enableTls(postgres: LocalPostgres, { host, authority }: { host: string; authority: string }) {
  const key = path.join(postgres.dataDirectory, 'server.key');
  const certificate = path.join(postgres.dataDirectory, 'server.crt');
  const name = ['-subj', `/CN=${host}`, '-addext', `subjectAltName=IP:${host}`];
  const files = ['-keyout', key, '-out', certificate];
  await run('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...name, ...files]);
  const { uid, gid } = await stat(postgres.dataDirectory);
  for (const file of [key, certificate]) {
    await chown(file, uid, gid);
    await chmod(file, 0o600);
  }
  await run('cp', [certificate, authority]);
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  await client.query(`alter system set ssl_cert_file = '${certificate}'`);
  await client.query(`alter system set ssl_key_file = '${key}'`);
  await client.query(`alter system set ssl = on`);
  await client.query('select pg_reload_conf()');
  await client.end();
}
