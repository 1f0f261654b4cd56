import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { archive } from './archive.mjs';
import { run } from './run.mjs';

/**
 * Builds the image for each platform, as one archive in OCI layout whose index names them all: for `podman load`,
 * `docker load` or `skopeo copy --all`.
 */
export function buildImage({ version, revision, repository, committedAt, bases, platforms, folder, output }) {
  // buildah would add to a list of this name that exists already.
  const list = `localhost/strongroom-release:${version}-${process.pid}`;
  const created = new Date(committedAt * 1000).toISOString();
  const given = [
    ['BUILD_IMAGE', bases.build],
    ['RUNTIME_IMAGE', bases.runtime],
    ['VERSION', version],
    ['REVISION', revision],
    ['CREATED', created],
    ['REPOSITORY', repository],
  ];
  const layout = mkdtempSync(path.join(tmpdir(), 'strongroom-image-'));
  try {
    run('buildah', [
      'build',
      '--isolation=chroot',
      '--format=docker',
      `--timestamp=${committedAt}`,
      ...given.filter(([, value]) => value !== undefined).map(([key, value]) => `--build-arg=${key}=${value}`),
      `--file=${path.join(folder, 'deploy/Containerfile')}`,
      `--platform=${platforms.join(',')}`,
      `--manifest=${list}`,
      folder,
    ]);
    run('buildah', ['manifest', 'push', '--all', list, `oci:${path.join(layout, 'image')}:${version}`]);
    writeFileSync(path.join(output, `strongroom-${version}-image.tar`), archive(layout, 'image', { as: '.' }));
    run('buildah', ['manifest', 'rm', list]);
  } finally {
    rmSync(layout, { recursive: true, force: true });
  }
}
