import { statSync } from 'node:fs';
import { allSettings } from '../../platform/config/config.ts';
import type { Environment } from '../../platform/config/setting.ts';
import type { Finding } from './examination.ts';

const name = 'secret files';
const otherMayRead = 0o004;
const otherMayWrite = 0o002;

/**
 * Checks that not every user of this machine can read or change the files with secrets. Returns undefined if there are
 * none. A file that cannot be read stops each command before this check.
 */
export function examineSecretFiles(environment: Environment): Finding | undefined {
  const files = allSettings
    .filter(({ details }) => details.secret !== 'certificate')
    .flatMap(({ fileVariable }) => environment[fileVariable] || [])
    .filter((file, index, all) => all.indexOf(file) === index);
  if (files.length === 0) return undefined;
  const changeable = files.filter((file) => hasMode(file, otherMayWrite));
  const readable = files.filter((file) => hasMode(file, otherMayRead));
  if (changeable.length > 0) {
    return {
      name,
      isOk: false,
      detail: `every user of this machine can change ${changeable.join(', ')}`,
      promise: 'nobody but the vault and its operators can replace its secrets',
      remedy: `${remedyFor(changeable)}. If somebody else may have read a root key there, replace it (docs/guides/rotate-keys.md)`,
    };
  }
  if (readable.length > 0) {
    return {
      name,
      isOk: true,
      isWarning: true,
      detail: `every user of this machine can read ${readable.join(', ')}`,
      promise: 'nobody but the vault and its operators can read its secrets',
      remedy: remedyFor(readable),
    };
  }
  return { name, isOk: true, detail: 'only their owner and group can read them' };
}

function remedyFor(files: readonly string[]): string {
  return `give them to the user that runs the vault, and run "chmod 400 ${files.join(' ')}"`;
}

/** Returns false for a file that has gone and on systems without these modes. */
function hasMode(file: string, bits: number): boolean {
  if (process.platform === 'win32') return false;
  return ((statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & bits) !== 0;
}
