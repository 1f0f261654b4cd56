import { readFileSync } from 'node:fs';
import path from 'node:path';

/**
 * Returns the address to which vulnerabilities are reported in private, which is `bugs.email` in the `package.json` at the
 * top, or undefined if it is not set.
 */
export function securityContactOf(folder) {
  const { bugs } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  return bugs?.email;
}

/**
 * Returns the public address of the source, which is `repository` in the `package.json` at the top, or undefined if it
 * is not set. Labels of the image and the provenance take it from here.
 */
export function repositoryOf(folder) {
  const { repository } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  if (repository === undefined) return undefined;
  if (typeof repository === 'string' && repository.startsWith('https://')) return repository;
  throw new Error(
    '"repository" in package.json must be an https address as text, such as "https://forge.example.com/acme/strongroom".',
  );
}
