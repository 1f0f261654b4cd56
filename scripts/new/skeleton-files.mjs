import { existsSync, globSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { toForms } from './name-forms.mjs';

/** Returns what already has the name, or undefined. */
export function findExisting(root, kind, name, files) {
  const { files: folder, table } = toForms(name);
  const taken = {
    endpoint: [
      `server/src/features/${folder}`,
      `server/src/features/*/${name}-routes.ts`,
      `server/migrations/*_${table}.sql`,
    ],
    page: [`portal/src/pages/${name}`],
    'token-type': [],
  }[kind];
  return [...taken.flatMap((pattern) => globSync(pattern, { cwd: root })), ...files.keys()].find((file) =>
    existsSync(path.join(root, file)),
  );
}

export function writeFiles(root, files) {
  for (const [file, text] of files) {
    const target = path.join(root, file);
    mkdirSync(path.dirname(target), { recursive: true });
    // Fails if the file has appeared in the meantime.
    writeFileSync(target, text, { flag: 'wx' });
  }
}
