import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { toForms } from './name-forms.mjs';

/** Returns what already has the name, or undefined. */
export function findExisting(root, kind, name, files) {
  const { files: folder, table, column } = toForms(name);
  const taken = {
    endpoint: [
      `server/src/features/${folder}`,
      `server/src/features/**/${name}-routes.ts`,
      `server/migrations/*_${table}.sql`,
    ],
    page: [`portal/src/pages/${name}`],
    'token-type': [],
  }[kind];
  const file = [...taken.flatMap((pattern) => globSync(pattern, { cwd: root })), ...files.keys()].find((one) =>
    existsSync(path.join(root, one)),
  );
  if (file !== undefined) return file;

  // The server renders some pages of the portal itself, and the file of a token type can have another name.
  const texts = {
    endpoint: [],
    page: ['server/src/features/portal/**/*.ts', `'/portal/${name}'`],
    'token-type': ['server/src/core/token-types/*-token-type.ts', `name: '${column}'`],
  }[kind];
  return findText(root, ...texts);
}

/** Returns the text with the first file that contains it, or undefined. */
function findText(root, pattern, text) {
  if (pattern === undefined) return undefined;
  const file = globSync(pattern, { cwd: root })
    .sort()
    .find((one) => readFileSync(path.join(root, one), 'utf8').includes(text));
  return file === undefined ? undefined : `${text} in ${file}`;
}

export function writeFiles(root, files) {
  for (const [file, text] of files) {
    const target = path.join(root, file);
    mkdirSync(path.dirname(target), { recursive: true });
    // Fails if the file has appeared in the meantime.
    writeFileSync(target, text, { flag: 'wx' });
  }
}
