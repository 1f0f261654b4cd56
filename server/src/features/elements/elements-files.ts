import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { OperatorError } from '../../core/errors/operator-error.ts';
import { membersOf } from '../../core/objects/members-of.ts';
import { integrityOf } from '../../platform/keyring/sealing/integrity.ts';
import { isStaticFile, readStaticFile, type StaticFile } from '../../http/pages/static-file.ts';

/** Where `npm run build` puts the card fields; next to `src/` and `dist/`, so the same path works for both. */
export const builtElements = path.resolve(import.meta.dirname, '../../../assets/elements');

export interface ElementsFile extends StaticFile {
  /** What a page compares the file with, in the form of its `integrity` attribute. */
  readonly integrity: string;
}

/** The built card fields. The version is part of their paths and changes with any of them. */
export interface ElementsFiles {
  readonly version: string;
  readonly files: readonly ElementsFile[];
}

/** Both stand in paths. */
const versionForm = /^[0-9A-Za-z][0-9A-Za-z.-]{0,99}$/;
const nameForm = /^[a-z][a-z0-9-]{0,50}\.[a-z]{1,5}$/;

/**
 * Undefined in a checkout that has not been built. A file that does not fit its manifest is refused at the start: browsers
 * would refuse it later, in every shop.
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

/** Where a file of this build is. */
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
