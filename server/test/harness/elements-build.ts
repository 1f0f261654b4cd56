import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { integrityOf } from '../../src/platform/keyring/sealing/integrity.ts';

/** A small build of the card fields in its own directory. */
export class ElementsBuild {
  readonly version = '0.1.0-0123456789ab';
  readonly files: Readonly<Record<string, string>> = {
    'client.js': 'window.BasisTheoryElements = { hasElement: () => false };\n',
    'controller.js': 'export const role = "controller – of a page";\n',
    'field.js': 'document.body.append("field");\n',
    'field.css': 'input { border: 0; }\n',
  };
  readonly folder: string;

  static async make(): Promise<ElementsBuild> {
    const build = new ElementsBuild(await mkdtemp(path.join(tmpdir(), 'strongroom-elements-')));
    for (const [name, text] of Object.entries(build.files)) {
      await build.write(name, text);
      await build.write(`${name}.gz`, gzipSync(text));
    }
    await build.write('manifest.json', JSON.stringify(build.manifest));
    return build;
  }

  private constructor(folder: string) {
    this.folder = folder;
  }

  get manifest(): { version: string; files: Record<string, string> } {
    const sums = Object.entries(this.files).map(([name, text]) => [name, integrityOf(Buffer.from(text))] as const);
    return { version: this.version, files: Object.fromEntries(sums) };
  }

  async write(name: string, content: string | Uint8Array): Promise<void> {
    await writeFile(path.join(this.folder, name), content);
  }

  remove(): Promise<void> {
    return rm(this.folder, { recursive: true });
  }
}
