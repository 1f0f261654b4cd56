import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { OperatorError } from '../../core/errors/operator-error.ts';
import { membersOf } from '../../core/objects/members-of.ts';
import { integrityOf } from '../../platform/keyring/sealing/integrity.ts';
import { isStaticFile, readStaticFile, type StaticFile } from '../../http/pages/static-file.ts';

/**
 * The folder into which `npm run build` writes the card fields. It is next to `src/` and `dist/`, so the same path
 * works for both.
 */
export const builtElements = path.resolve(import.meta.dirname, '../../../assets/elements');

export interface ElementsFile extends StaticFile {
  /** The hash that a page compares the file with, in the format of the `integrity` attribute. */
  readonly integrity: string;
}

/** The built card fields. Their paths contain the version, which changes if any of the files changes. */
export interface ElementsFiles {
  readonly version: string;
  readonly files: readonly ElementsFile[];
}

/** Versions and names are used in paths, so they are restricted to safe characters. */
const versionForm = /^[0-9A-Za-z][0-9A-Za-z.-]{0,99}$/;
const nameForm = /^[a-z][a-z0-9-]{0,50}\.[a-z]{1,5}$/;

/**
 * Reads the built files. Returns undefined in a checkout that has not been built. A file that does not match the
 * manifest is rejected at startup. Otherwise browsers would reject it later, in every shop.
 */
export function readElementsFiles(folder: string): ElementsFiles | undefined {
  const manifest = path.join(folder, 'manifest.json');
  if (!existsSync(manifest)) return undefined;
  const { version, files } = membersOf(JSON.parse(readFileSync(manifest, 'utf8')));
  if (typeof version !== 'string' || !versionForm.test(version)) throw notBuilt('manifest.json');
  return { version, files: Object.entries(membersOf(files)).map(([name, sum]) => readFile(folder, name, sum)) };
}

export function fileOf({ files }: ElementsFiles, name: string): ElementsFile {
  const found = files.find((file) => file.name === name);
  if (found === undefined) throw notBuilt(name);
  return found;
}

export function pathOf({ version }: ElementsFiles, { name }: ElementsFile): string {
  return `/elements/${version}/${name}`;
}

function readFile(folder: string, name: string, integrity: unknown): ElementsFile {
  const isFile = nameForm.test(name) && isStaticFile(name) && existsSync(path.join(folder, `${name}.gz`));
  if (!isFile || !existsSync(path.join(folder, name))) throw notBuilt(name);
  const file = readStaticFile(folder, name);
  if (integrity !== integrityOf(file.bytes)) throw notBuilt(name);
  return { ...file, integrity };
}

function notBuilt(name: string): OperatorError {
  return new OperatorError(
    `The built card fields in server/assets/elements are not complete: see ${name}. Run \`npm run build\` and start again.`,
  );
}
