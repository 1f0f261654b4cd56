import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';

/*
 * Runs the units under a systemd that is the init of its own container: Debian 12 from mmdebstrap, booted by
 * systemd-nspawn, with the sources of this repository and the PostgreSQL of the tests. Requires root and both programs.
 */

const run = promisify(execFile);
const repository = path.resolve(import.meta.dirname, '../../..');
const units = path.join(repository, 'deploy/systemd');
const isWhole = process.env['SHIP'] === 'all';

describe.runIf(isWhole)('a machine with systemd', () => {
  let root: string;
  let database: TestDatabase;
  let said: Map<string, string>;

  beforeAll(async () => {
    await run('npm', ['run', 'build', '--workspace', 'server'], { cwd: repository });
    database = await createTestDatabase('template1');
    root = await mkdtemp(path.join(tmpdir(), 'strongroom-machine-'));
    await chmod(root, 0o755);
    const packages = 'systemd,systemd-sysv,dbus,libstdc++6';
    await run('mmdebstrap', ['--quiet', '--variant=minbase', `--include=${packages}`, 'bookworm', root]);
    await installInto(root, database.url);
    said = await boot(root);
  });
  afterAll(async () => {
    await rm(root, { recursive: true, force: true });
    await database.drop();
  });

  it('migrates, then serves and works until they are ready', () => {
    expect(said.get('migrate')).toBe('success');
    expect(said.get('ready')).toBe('Ready. Ready.');
  });

  it('stores a token and reports what the process uses', () => {
    expect(said.get('stored')).toBe('201');
    expect(said.get('metrics')).toMatch(/^process_open_fds \d+$/);
  });

  it('runs both as users without rights, behind a filter of system calls', () => {
    for (const role of ['serve', 'work']) {
      expect(Number(said.get(`${role}-uid`))).toBeGreaterThan(60_000);
      expect(said.get(`${role}-rights`)).toBe('CapEff 0000000000000000 CapBnd 0000000000000000 NoNewPrivs 1 Seccomp 2');
    }
  });

  it('drains and stops in time', () => {
    expect(said.get('stopped')).toBe('success success');
    expect(said.get('drained')).toContain('draining: no new connections, finishing requests');
  });

  it('starts a server again that was killed, and none whose settings are not valid', () => {
    expect(said.get('restarts')).toBe('1');
    expect(said.get('invalid')).toBe('failed 2 0');
  });
});

/** Installs as described in `docs/deploy/systemd.md`, with the repository in place of the package. */
async function installInto(root: string, databaseUrl: string): Promise<void> {
  const credentials = path.join(root, 'etc/strongroom/credentials');
  await mkdir(credentials, { recursive: true, mode: 0o700 });
  await mkdir(path.join(root, 'opt/strongroom'));
  await symlink('/opt/strongroom/server/bin/strongroom.js', path.join(root, 'usr/local/bin/strongroom'));
  await copyFile(process.execPath, path.join(root, 'usr/local/bin/node'));
  const settings = await readFile(path.join(units, 'strongroom.env'), 'utf8');
  // The container shares the network with other tests.
  const moved = settings.replaceAll(/^(STRONGROOM_\w*PORT)=80(\d\d)$/gm, '$1=480$2');
  await writeFile(path.join(root, 'etc/strongroom/strongroom.env'), moved);
  for (const name of (await readdir(units)).filter((name) => name.endsWith('.service'))) {
    await copyFile(path.join(units, name), path.join(root, 'etc/systemd/system', name));
  }
  for (const name of ['database-url', 'database-owner-url']) await writeFile(path.join(credentials, name), databaseUrl);
  await writeFile(path.join(credentials, 'root-key'), Buffer.alloc(32, 7).toString('base64'));
  await writeFile(path.join(root, 'root/drive'), drive, { mode: 0o755 });
  await writeFile(path.join(root, 'root/store.mjs'), store);
  await writeFile(path.join(root, 'root/metrics.mjs'), metrics);
  const service = '[Unit]\nAfter=multi-user.target\n[Service]\nType=oneshot\nExecStart=/root/drive\n';
  await writeFile(path.join(root, 'etc/systemd/system/drive.service'), service);
  const wanted = path.join(root, 'etc/systemd/system/graphical.target.wants');
  await mkdir(wanted, { recursive: true });
  await symlink('../drive.service', path.join(wanted, 'drive.service'));
}

/** Boots the container and waits until it has shut itself down. Returns its output by name. */
async function boot(root: string): Promise<Map<string, string>> {
  const mount = `--bind-ro=${repository}:/opt/strongroom`;
  await run('systemd-nspawn', ['--quiet', `--directory=${root}`, '--register=no', '--keep-unit', mount, '--boot'], {
    timeout: 280_000,
    maxBuffer: 16 * 1024 * 1024,
  });
  const lines = (await readFile(path.join(root, 'root/said'), 'utf8')).trim().split('\n');
  return new Map(lines.map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]));
}

const drive = `#!/bin/bash
export PATH=/usr/local/bin:/usr/bin:/bin
set -a; . /etc/strongroom/strongroom.env; set +a
say() { local name=$1; shift; echo "$name $(echo "$@" | tr '\\n' ' ' | sed 's/ *$//')" >>/root/said; }
show() { systemctl show --value --property "$@"; }
ready() { local try; for try in $(seq 120); do strongroom healthcheck >/dev/null && strongroom healthcheck work >/dev/null && return; sleep 0.5; done; }

systemctl start strongroom-migrate
say migrate "$(show Result strongroom-migrate)"
systemctl start strongroom-serve strongroom-work
ready
say ready "$(strongroom healthcheck; strongroom healthcheck work)"

export KEY=$(cd /etc/strongroom/credentials && STRONGROOM_DATABASE_URL_FILE=database-url STRONGROOM_ROOT_KEY_FILE=root-key \\
  strongroom bootstrap --name Acme --json)
say stored "$(node /root/store.mjs)"
say metrics "$(node /root/metrics.mjs)"
for role in serve work; do
  pid=$(show MainPID strongroom-$role)
  say $role-uid "$(show UID strongroom-$role)"
  say $role-rights "$(awk '/^(CapEff|CapBnd|NoNewPrivs|Seccomp):/ { sub(":", "", $1); printf "%s %s ", $1, $2 }' /proc/$pid/status)"
done

kill -KILL "$(show MainPID strongroom-serve)"
until [ "$(show NRestarts strongroom-serve)" = 1 ]; do sleep 0.2; done
ready
say restarts "$(show NRestarts strongroom-serve)"

systemctl stop strongroom-serve strongroom-work
say stopped "$(show Result strongroom-serve)" "$(show Result strongroom-work)"
say drained "$(journalctl --unit strongroom-serve --output cat | grep draining)"

echo STRONGROOM_LOG_LEVEL=loud >>/etc/strongroom/strongroom.env
systemctl start strongroom-serve
until [ "$(show ActiveState strongroom-serve)" = failed ]; do sleep 0.2; done
say invalid "$(show ActiveState strongroom-serve)" "$(show ExecMainStatus strongroom-serve)" "$(show NRestarts strongroom-serve)"
systemctl poweroff
`;

const store = `
const post = (path, key, body) => fetch('http://127.0.0.1:' + process.env.STRONGROOM_PORT + path, {
  method: 'POST', headers: { 'bt-api-key': key, 'content-type': 'application/json' }, body: JSON.stringify(body) });
const application = { name: 'Shop', type: 'private', permissions: ['token:create'] };
const { key } = await (await post('/applications', JSON.parse(process.env.KEY).keys.management, application)).json();
console.log((await post('/tokens', key, { type: 'token', data: 'x' })).status);
`;

const metrics = `
const response = await fetch('http://127.0.0.1:' + process.env.STRONGROOM_ADMIN_PORT + '/metrics');
console.log(/^process_open_fds .*$/m.exec(await response.text())?.[0]);
`;
