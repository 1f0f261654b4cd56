import { existsSync } from 'node:fs';
import path from 'node:path';
import { codeOf } from '../../core/errors/thrown.ts';

/**
 * Describes why the file of a setting cannot be read. The path is left out if it could be the secret itself, put into
 * the wrong variable: a path has a folder that exists.
 */
export function describeUnreadable(file: string, error: unknown): string {
  const name = looksLikePath(file) ? `the file ${file}` : 'a file that is not a path on this machine';
  return `names ${name}, which cannot be read: ${reasonOf(error)}`;
}

function looksLikePath(file: string): boolean {
  const parts = file.split('/').filter((part) => part !== '');
  const [top = ''] = parts;
  return parts.length > 1 && file.length <= 4_096 && existsSync(path.isAbsolute(file) ? `/${top}` : top);
}

function reasonOf(error: unknown): string {
  const code = codeOf(error);
  if (code === 'ENOENT') return 'it does not exist';
  if (code === 'EISDIR') return 'it is a folder';
  if (code === 'EACCES' || code === 'EPERM') {
    return `user ${process.getuid?.() ?? ''} of this process may not read it. Change its owner or its mode`;
  }
  return code ?? 'unknown reason';
}
