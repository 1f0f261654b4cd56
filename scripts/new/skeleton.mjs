import { globSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fillIn, toForms } from './name-forms.mjs';

const templates = path.join(import.meta.dirname, 'templates');

/** The kinds of skeleton, with the headings of their checklists. */
export const kinds = { endpoint: 'An endpoint', page: 'A portal page', 'token-type': 'A token type' };

/**
 * Returns the files of a skeleton by path. A template has the same path as its file, plus the extension `.txt`, so that
 * no tool treats it as code.
 */
export function toSkeleton(kind, name, root) {
  const forms = { ...toForms(name), uuid: crypto.randomUUID(), migration: nextMigration(root) };
  const folder = path.join(templates, kind);
  const sources = globSync('**/*.txt', { cwd: folder }).sort();
  return new Map(
    sources.map((source) => [
      fillIn(source.replace(/\.txt$/, ''), forms),
      fillIn(readFileSync(path.join(folder, source), 'utf8'), forms),
    ]),
  );
}

function nextMigration(root) {
  const numbers = readdirSync(path.join(root, 'server/migrations')).map((file) => Number.parseInt(file, 10) || 0);
  return String(Math.max(0, ...numbers) + 1).padStart(4, '0');
}
