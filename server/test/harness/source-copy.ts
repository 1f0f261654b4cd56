import { chmod, cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../../..');
/** The files and folders that `npm run dev` needs. */
const copied = [
  'package.json',
  'tsconfig.base.json',
  'scripts/dev',
  'portal',
  'elements',
  'server/package.json',
  'server/src',
  'server/migrations',
  'server/assets',
];
const linked = ['node_modules', 'server/node_modules'];
/** Excludes packages, and builds that other tests may be reading or writing. */
const leftOut = /\/(node_modules|elements\/dist|assets\/(elements|elements-demo|guide))$/;

/** A copy of the source in a temporary folder. A test can change it without touching the checkout. */
export class SourceCopy {
  readonly folder: string;

  static async make(): Promise<SourceCopy> {
    const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-source-'));
    // PostgreSQL runs as another user if the tests run as root.
    await chmod(folder, 0o755);
    for (const name of copied) {
      const filter = (source: string) => !leftOut.test(source);
      await cp(path.join(root, name), path.join(folder, name), { recursive: true, filter });
    }
    for (const name of linked) await symlink(path.join(root, name), path.join(folder, name));
    return new SourceCopy(folder);
  }

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Replaces a text that a file contains. */
  async change(name: string, old: string, replacement: string): Promise<void> {
    const file = path.join(this.folder, name);
    const text = await readFile(file, 'utf8');
    if (!text.includes(old)) throw new Error(`${name} does not contain "${old}".`);
    await writeFile(file, text.replace(old, replacement));
  }

  remove(): Promise<void> {
    return rm(this.folder, { recursive: true });
  }
}
