import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ContainerEngine, outputOf, reasonNotToShip, standIn } from '../harness/container-engine.ts';
import { ChartRenderer, type Manifest, podsOf, type Rendered, type Role } from './rendered-chart.ts';

/*
 * Runs what the chart renders with `podman kube play` of Debian 13 and the image of this repository. Podman does not
 * support network policies, hooks or autoscaling. It does run pods as they are written: image, command, settings,
 * files, limits and signals.
 */

const reason = reasonNotToShip();
if (reason !== undefined) process.stdout.write(`Rendered manifests are not run: ${reason}.\n`);
const image = 'localhost/strongroom-ship/kube';

describe.skipIf(reason !== undefined)('pods of the chart', { timeout: 3_600_000 }, () => {
  let root: string;
  let said: Map<string, string>;

  beforeAll(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'strongroom-kube-'));
    await chmod(root, 0o755);
    const packages = 'podman,runc,catatonit,netavark,iproute2,curl,postgresql';
    await outputOf('mmdebstrap', ['--quiet', '--variant=minbase', `--include=${packages}`, 'trixie', root]);
    await mkdir(path.join(root, 'kube'));
    const engine = await ContainerEngine.prepare();
    const bases = { BUILD_IMAGE: standIn('build'), RUNTIME_IMAGE: standIn('runtime') };
    await engine.build(image, 'deploy/Containerfile', { bases });
    await engine.podman('save', '--quiet', '--output', path.join(root, 'kube/image.tar'), image);
    await writeManifests(path.join(root, 'kube'));
    await writeFile(path.join(root, 'kube/play'), play, { mode: 0o755 });
    await outputOf('unshare', ['--mount', '--net', 'bash', '-c', enter, 'enter', root]);
    const lines = (await readFile(path.join(root, 'kube/said'), 'utf8')).trim().split('\n');
    said = new Map(lines.map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]));
  }, 3_600_000);
  afterAll(() => rm(root, { recursive: true, force: true }));

  it('migrate the schema', () => {
    expect(said.get('migrated')).toBe('0');
  });

  it('become ready at the ports that the probes ask', () => {
    expect(said.get('serve-ready')).toBe('200');
    expect(said.get('work-ready')).toBe('200');
    expect(said.get('api')).toBe('401');
  });

  it('run without rights', () => {
    for (const role of ['serve', 'work']) expect(said.get(`${role}-limits`)).toBe('65532:65532 true [] 536870912');
  });

  it('drain and exit on the signal to stop', () => {
    expect(said.get('stopped')).toBe('0 0');
    expect(Number(said.get('stop-seconds'))).toBeGreaterThanOrEqual(5);
    expect(Number(said.get('stop-seconds'))).toBeLessThan(35);
  });
});

async function writeManifests(folder: string): Promise<void> {
  await using renderer = await ChartRenderer.build();
  const rendered = await renderer.render({
    image: { repository: image, tag: 'latest', pullPolicy: 'Never' },
    serve: { replicas: 1 },
    work: { replicas: 1 },
  });
  for (const role of ['serve', 'work', 'migrate'] as const) {
    const documents = [secret, toPlayable(rendered, role)].map((document) => JSON.stringify(document));
    await writeFile(path.join(folder, `${role}.yaml`), documents.join('\n---\n'));
  }
}

const secret = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'strongroom' },
  stringData: {
    'database-url': 'postgresql://postgres@127.0.0.1:5432/postgres',
    'root-key': Buffer.alloc(32, 7).toString('base64'),
  },
};

/** Returns the rendered manifest, with one change: podman does not support volumes that combine several secrets. */
function toPlayable(rendered: Rendered, role: Role): Manifest {
  const { volumes = [] } = podsOf(rendered, role).spec;
  for (const volume of volumes) {
    const items = volume.projected?.sources?.flatMap(({ secret }) => secret?.items ?? []);
    if (items === undefined) continue;
    delete volume.projected;
    // Podman also ignores the group that the files would belong to.
    volume.secret = { secretName: secret.metadata.name, items, defaultMode: 0o444 };
  }
  const kind = role === 'migrate' ? 'Job' : 'Deployment';
  const found = rendered.manifests.find((it) => it.kind === kind && it.metadata.name.endsWith(`-${role}`));
  if (found === undefined) throw new Error(`Nothing runs ${role}.`);
  return found;
}

/** Enters the folder as the root file system, with its own network. */
const enter = `set -e
mount --bind "$1" "$1"
mount -t proc proc "$1/proc"; mount --rbind /sys "$1/sys"; mount --rbind /dev "$1/dev"
mount -t tmpfs tmpfs "$1/run"; mount -t tmpfs tmpfs "$1/tmp"
exec chroot "$1" /kube/play`;

const play = `#!/bin/bash
export PATH=/usr/sbin:/usr/bin:/sbin:/bin PODMAN_IGNORE_CGROUPSV1_WARNING=1 LC_ALL=C.UTF-8
ip link set lo up
as_postgres() { setpriv --reuid=postgres --regid=postgres --init-groups "$@"; }
as_postgres /usr/lib/postgresql/17/bin/initdb --pgdata=/tmp/data --username=postgres --auth=trust --encoding=UTF8 >/dev/null
as_postgres /usr/lib/postgresql/17/bin/pg_ctl --pgdata=/tmp/data --options='-k /tmp -c listen_addresses=127.0.0.1' --log=/tmp/log --wait start

vault() { podman --log-level=error --runtime=runc --cgroup-manager=cgroupfs --root=/kube/storage --runroot=/run/kube --storage-driver=overlay "$@"; }
say() { local name=$1; shift; echo "$name $*" >>/kube/said; }
name() { echo "vault-strongroom-$1-pod-$1"; }
status() { curl --silent --output /dev/null --write-out '%{http_code}' "http://127.0.0.1:$1"; }

vault load --quiet --input=/kube/image.tar
vault kube play --network=host /kube/migrate.yaml
say migrated "$(vault wait "$(name migrate)")"
vault pod rm --force --all; vault secret rm strongroom

for role in serve work; do vault kube play --network=host --replace /kube/$role.yaml; done
for try in $(seq 240); do
  [ "$(status 8081/readyz)$(status 8082/readyz)" = 200200 ] && break
  sleep 0.5
done
say serve-ready "$(status 8081/readyz)"
say work-ready "$(status 8082/readyz)"
say api "$(status 8080/tokens)"
for role in serve work; do
  say $role-limits "$(vault inspect "$(name $role)" --format '{{.Config.User}} {{.HostConfig.ReadonlyRootfs}} {{.EffectiveCaps}} {{.HostConfig.Memory}}')"
done

started=$SECONDS
vault stop --time=40 "$(name serve)" "$(name work)"
say stop-seconds $((SECONDS - started))
say stopped "$(vault inspect "$(name serve)" --format '{{.State.ExitCode}}')" "$(vault inspect "$(name work)" --format '{{.State.ExitCode}}')"
vault pod rm --force --all
as_postgres /usr/lib/postgresql/17/bin/pg_ctl --pgdata=/tmp/data --mode=immediate stop
`;
