import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { archive } from './archive.mjs';
import { run } from './run.mjs';

/** Builds the image as an archive in OCI layout, for `podman load`, `docker load` or `skopeo copy`. */
export function buildImage({ version, revision, repository, committedAt, bases, folder, output }) {
  const name = `localhost/strongroom:${version}`;
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
      `--tag=${name}`,
      folder,
    ]);
    run('buildah', ['push', name, `oci:${path.join(layout, 'image')}:${version}`]);
    writeFileSync(path.join(output, `strongroom-${version}-image.tar`), archive(layout, 'image', { as: '.' }));
  } finally {
    rmSync(layout, { recursive: true, force: true });
  }
}
