import { run } from './run.mjs';

/** Creates a tar of a folder. Its bytes depend only on names and contents. */
export function archive(parent, name, { as = name, without = [] } = {}) {
  return run('tar', [
    '--create',
    '--directory',
    parent,
    '--sort=name',
    '--format=ustar',
    '--mtime=@0',
    '--owner=0',
    '--group=0',
    '--numeric-owner',
    '--mode=u=rwX,go=rX',
    `--transform=s,^${name}$,${as},;s,^${name}/,${as}/,`,
    ...without.map((one) => `--exclude=${one}`),
    name,
  ]);
}
