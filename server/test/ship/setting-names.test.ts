import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { findConfigWarnings } from '../../src/platform/config/config-warnings.ts';

/* Every setting named under `deploy` exists in the vault. A misspelt one would have no effect. */

const deploy = path.resolve(import.meta.dirname, '../../../deploy');

describe('settings named under deploy', () => {
  it('exist', async () => {
    const unknown: string[] = [];
    for (const file of await filesBelow(deploy)) {
      const names = namesIn(await readFile(file, 'utf8'));
      unknown.push(...unknownAmong(names).map((name) => `${path.relative(deploy, file)}: ${name}`));
    }
    expect(unknown).toEqual([]);
  });

  it('would be noticed if they did not', () => {
    expect(unknownAmong(namesIn('STRONGROOM_DATABASE_URI_FILE: /run/secrets/a'))).toEqual([
      'STRONGROOM_DATABASE_URI_FILE',
    ]);
  });
});

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
}

/** Build arguments, which are not settings. */
const buildArguments = /\bSTRONGROOM_IMAGE\b/g;

function namesIn(text: string): string[] {
  // A variable that a compose file reads from its own environment is not a setting. A variable that it passes to a
  // container is one.
  const passedOn = text.replaceAll(/\$\{[^}]*\}/g, '').replaceAll(buildArguments, '');
  return passedOn.match(/\bSTRONGROOM_[A-Z0-9]+(_[A-Z0-9]+)*\b/g) ?? [];
}

function unknownAmong(names: readonly string[]): string[] {
  // The values do not matter here. An address without TLS, for example, is checked elsewhere.
  const environment = Object.fromEntries(names.map((name) => [name, '-']));
  return findConfigWarnings(environment)
    .filter(({ warning }) => warning.includes('is not a setting'))
    .map(({ variable }) => variable);
}
