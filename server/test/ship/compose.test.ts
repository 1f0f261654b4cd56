import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ContainerEngine, outputOf, reasonNotToShip, repository, standIn } from '../harness/container-engine.ts';
import { untilTrue } from '../harness/deadline.ts';
import { DockerEngine } from '../harness/docker-engine.ts';

/*
 * Runs deploy/compose on a real Docker engine, from scratch. The images of PostgreSQL, Redis and Prometheus are built
 * from Debian's packages here, with the features of the public images that the compose file uses.
 */
const reason = reasonNotToShip();
if (reason !== undefined) process.stdout.write(`Compose is not tested: ${reason}.\n`);
const hasMonitoring = existsSync(path.join(repository, 'deploy/monitoring/prometheus.yaml'));

const images = {
  STRONGROOM_IMAGE: standIn('vault'),
  STRONGROOM_BACKUP_IMAGE: standIn('backup'),
  POSTGRES_IMAGE: standIn('postgres'),
  REDIS_IMAGE: standIn('redis'),
  PROMETHEUS_IMAGE: standIn('prometheus'),
};
const vaultContainers = ['strongroom-serve-1', 'strongroom-work-1'];
const allContainers = [...vaultContainers, 'strongroom-database-1', 'strongroom-redis-1'];
const bases = { BUILD_IMAGE: standIn('build'), RUNTIME_IMAGE: standIn('runtime') };

describe.skipIf(reason !== undefined)('compose', { timeout: 3_600_000 }, () => {
  let containers: ContainerEngine;
  let docker: DockerEngine;
  let deploy: string;
  let key: string;
  let tokenId: string;
  beforeAll(async () => {
    containers = await ContainerEngine.prepare();
    await containers.build(images.STRONGROOM_IMAGE, 'deploy/Containerfile', { bases, isCached: true });
    await containers.build(images.STRONGROOM_BACKUP_IMAGE, 'deploy/Containerfile.backup', {
      bases: images,
      isCached: true,
    });
    // The folder is copied because secrets are created next to its files.
    deploy = path.join(await mkdtemp(path.join(tmpdir(), 'strongroom-compose-')), 'deploy');
    await cp(path.join(repository, 'deploy'), deploy, { recursive: true });
    await rm(path.join(deploy, 'compose/secrets'), { recursive: true, force: true });
    docker = await DockerEngine.start();
    for (const image of Object.values(images)) await docker.load(containers, image);
    await compose('--profile', 'monitoring', 'down', '--volumes');
  }, 3_600_000);
  afterAll(async () => {
    await compose('--profile', 'monitoring', 'down', '--volumes', '--timeout', '1');
    await docker.stop();
    await rm(path.dirname(deploy), { recursive: true, force: true });
  });

  async function compose(...parameters: readonly string[]): Promise<string> {
    const file = path.join(deploy, 'compose/compose.yaml');
    const { code, stdout, stderr } = await docker.compose(file, parameters, images);
    if (code !== 0) throw new Error(`compose ${parameters.join(' ')} ended with ${code}: ${stdout}${stderr}`);
    return stdout;
  }
  const createSecrets = () => outputOf(path.join(deploy, 'compose/create-secrets'), []);
  const up = (...flags: readonly string[]) => compose(...flags, 'up', '--wait', '--no-build');
  const curl = (...parameters: readonly string[]) =>
    docker.inNetwork('curl', '--silent', '--show-error', ...parameters);
  const send = async (place: string, body: object, credential: string) => {
    const headers = [`BT-API-KEY: ${credential}`, 'Content-Type: application/json'].flatMap((one) => ['--header', one]);
    const url = `http://localhost:8080${place}`;
    const answer = await curl(url, '--fail-with-body', ...headers, '--data', JSON.stringify(body));
    return JSON.parse(answer) as Record<string, string>;
  };
  const readToken = async () =>
    JSON.parse(await curl(`http://localhost:8080/tokens/${tokenId}`, '--header', `BT-API-KEY: ${key}`)) as object;

  it('creates secrets once, in a folder that nobody else can enter', async () => {
    await createSecrets();
    const first = await readSecrets(deploy);
    expect(Object.keys(first)).toHaveLength(6);
    expect(new Set(Object.values(first)).size).toBe(6);
    expect(first['root_key']).toMatch(/^[0-9a-f]{64}\n$/);
    expect((await stat(path.join(deploy, 'compose/secrets'))).mode & 0o777).toBe(0o700);
    await createSecrets();
    expect(await readSecrets(deploy)).toEqual(first);
  });

  it('goes from nothing to a stored token', async () => {
    const startedAt = performance.now();
    await up();
    const upAfterMs = performance.now() - startedAt;
    const made = await compose('exec', '-T', 'serve', 'strongroom', 'bootstrap', '--name', 'Acme', '--json');
    const { keys } = JSON.parse(made) as { keys: { management: string } };
    const application = { name: 'Service', type: 'private', permissions: ['token:create', 'token:read'] };
    key = (await send('/applications', application, keys.management))['key'] ?? '';
    tokenId = (await send('/tokens', { type: 'token', data: 'Sensitive Value' }, key))['id'] ?? '';
    expect(await readToken()).toMatchObject({ id: tokenId, type: 'token' });
    const storedAfterMs = performance.now() - startedAt;
    process.stdout.write(
      `compose: healthy after ${(upAfterMs / 1_000).toFixed(1)} s, a token stored after ${(storedAfterMs / 1_000).toFixed(1)} s\n`,
    );
  });

  it('runs every container of the vault with all limits', async () => {
    const described = JSON.parse(await docker.docker('inspect', ...vaultContainers)) as {
      readonly Config: { readonly User: string };
      readonly HostConfig: Readonly<Record<string, unknown>>;
      readonly State: { readonly Health: { readonly Status: string } };
    }[];
    expect(described).toHaveLength(2);
    for (const { Config: config, HostConfig: host, State: state } of described) {
      expect(config.User).toBe('65532:65532');
      expect(state.Health.Status).toBe('healthy');
      expect(host).toMatchObject({
        ReadonlyRootfs: true,
        CapDrop: ['ALL'],
        SecurityOpt: ['no-new-privileges:true'],
        Memory: 512 * 1_024 * 1_024,
        MemorySwap: 512 * 1_024 * 1_024,
        PidsLimit: 100,
        Privileged: false,
      });
    }
  });

  it('has no secret in an environment, an argument or a description of a container', async () => {
    const seen = `${await docker.docker('inspect', ...allContainers)}${await docker.readProcesses(allContainers)}`;
    expect(seen).toContain('/run/secrets/root_key');
    for (const [name, text] of Object.entries(await readSecrets(deploy)))
      for (const word of text.match(/[0-9a-f]{64}/g) ?? [`nothing random in ${name}`]) expect(seen).not.toContain(word);
  });

  it('serves with a login that cannot seal the audit log or change the schema', async () => {
    const address = await docker.docker(
      'inspect',
      '--format={{(index .NetworkSettings.Networks "strongroom_data").IPAddress}}',
      'strongroom-serve-1',
    );
    const logins = `select distinct usename from pg_stat_activity where client_addr = '${address.trim()}'`;
    const asSuperuser = ['psql', '-U', 'postgres', '--tuples-only', '--no-align', '-c', logins];
    expect(await compose('exec', '-T', 'database', ...asSuperuser)).toBe('strongroom_login\n');

    const { database_url: url = '' } = await readSecrets(deploy);
    const asLogin = (statement: string) =>
      compose('exec', '-T', 'database', 'psql', url.trim().replace('@database:', '@127.0.0.1:'), '-c', statement);
    expect(await asLogin('set role strongroom_app')).toContain('SET');
    await expect(asLogin('set role strongroom_sealer')).rejects.toThrow('permission denied');
    await expect(asLogin('set role strongroom_owner')).rejects.toThrow('permission denied');
    await expect(asLogin('create table x (y int)')).rejects.toThrow('permission denied');
  });

  it('keeps its data when everything is taken down and started again', async () => {
    await compose('down');
    await up();
    expect(await readToken()).toMatchObject({ id: tokenId });
    expect(await compose('exec', '-T', 'work', 'strongroom', 'audit', 'verify')).toContain('The log matches');
    await compose('exec', '-T', 'serve', 'strongroom', 'doctor');
  });

  it('proves that a dump can be restored and read', async () => {
    const dump = await compose('exec', '-T', 'database', 'sh', '-c', 'pg_dump -U postgres -Fc strongroom | base64 -w0');
    await mkdir(path.join(deploy, 'compose/backups'), { recursive: true });
    await writeFile(path.join(deploy, 'compose/backups/vault.dump'), Buffer.from(dump, 'base64'));
    expect(await compose('run', '--rm', '-T', 'backup')).toContain('1 tokens of 1 tenants decrypted, 0 failed.');
  });

  it.runIf(hasMonitoring)('is scraped by Prometheus with all rules loaded', async () => {
    await up('--profile', 'monitoring');
    const ask = async (place: string) =>
      JSON.parse(await curl(`http://localhost:9090/api/v1/${place}`)) as { data: unknown };
    const healthOfTargets = async () => {
      const { activeTargets } = (await ask('targets')).data as {
        activeTargets: { scrapeUrl: string; health: string }[];
      };
      return activeTargets.map(({ scrapeUrl, health }) => `${scrapeUrl} ${health}`).toSorted();
    };
    const both = ['http://serve:8081/metrics up', 'http://work:8082/metrics up'];
    await untilTrue(async () => (await healthOfTargets()).join() === both.join(), { waitingFor: 'both to be scraped' });
    const { groups } = (await ask('rules')).data as { groups: { rules: unknown[] }[] };
    expect(groups.flatMap(({ rules }) => rules).length).toBeGreaterThan(5);
  });
});

async function readSecrets(deploy: string): Promise<Record<string, string>> {
  const folder = path.join(deploy, 'compose/secrets');
  const names = await readdir(folder);
  const texts = await Promise.all(names.map((name) => readFile(path.join(folder, name), 'utf8')));
  return Object.fromEntries(names.map((name, at) => [name, texts[at] ?? '']));
}
