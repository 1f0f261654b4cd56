import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { importTokens, type ImportOrder } from '../../src/app/operations/import-tokens.ts';
import { parseTenantId } from '../../src/core/identity/ids.ts';
import { type ImportReport, parseFieldMap } from '../../src/features/imports/index.ts';
import type { TestVault } from './test-vault.ts';

export interface ImportTry extends Partial<Omit<ImportOrder, 'map'>> {
  readonly text: string | Buffer;
  readonly map?: readonly string[];
  readonly set?: readonly string[];
}

/** A folder for files to import. Imports run without the command line. */
export class ImportFolder {
  readonly directory: string;

  static async make(): Promise<ImportFolder> {
    return new ImportFolder(await mkdtemp(path.join(tmpdir(), 'strongroom-import-')));
  }

  private constructor(directory: string) {
    this.directory = directory;
  }

  path(name: string): string {
    return path.join(this.directory, name);
  }

  /** Imports a text and returns the report with the rejects that were written. */
  async import(
    vault: Pick<TestVault, 'config'>,
    tenant: { readonly id: string },
    { text, map = [], set = [], ...order }: ImportTry,
  ): Promise<ImportReport & { rejects: Record<string, unknown>[] }> {
    const file = order.path ?? this.path(crypto.randomUUID());
    await writeFile(file, text);
    const rejectsPath = order.rejectsPath ?? `${file}.rejects`;
    const report = await importTokens(vault.config, {
      tenantId: parseTenantId(tenant.id),
      path: file,
      format: 'ndjson',
      map: parseFieldMap({ map, set }),
      dropsCvc: false,
      vouchesForViews: false,
      isDryRun: false,
      isResumed: false,
      isRepeated: false,
      rejectsPath,
      signal: new AbortController().signal,
      onProgress: () => undefined,
      ...order,
    });
    return { ...report, rejects: await readJsonLines(rejectsPath) };
  }

  async remove(): Promise<void> {
    await rm(this.directory, { recursive: true });
  }
}

export async function readJsonLines(file: string): Promise<Record<string, unknown>[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Record<string, unknown>]));
}

export const toLines = (...tokens: readonly unknown[]) => tokens.map((token) => `${JSON.stringify(token)}\n`).join('');
