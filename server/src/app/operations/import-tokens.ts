import { type FileHandle, open, realpath } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import type { TenantId } from '../../core/identity/ids.ts';
import {
  type FieldMap,
  type ImportReport,
  nothingYet,
  PreparerPool,
  readCsvHeader,
  RehearsalWriter,
  RejectFile,
  toColumnTargets,
  TokenImport,
  VaultWriter,
} from '../../features/imports/index.ts';
import { readTenantSettings } from '../../features/tenants/index.ts';
import type { VaultConfig } from '../../platform/config/config.ts';
import { readChunks } from '../../platform/files/record-reader.ts';
import { sha256OfChunks } from '../../platform/keyring/sealing/sha256.ts';
import { requireOpenTenant } from '../../platform/database/open-tenant.ts';
import { VaultCore } from '../wiring/vault-core.ts';

/** The maximum number of threads. Additional ones would only wait for the database. */
const threadsMax = 4;

export interface ImportOrder {
  readonly tenantId: TenantId;
  readonly path: string;
  readonly format: 'ndjson' | 'csv';
  readonly map: FieldMap;
  readonly dropsCvc: boolean;
  readonly vouchesForViews: boolean;
  readonly isDryRun: boolean;
  readonly isResumed: boolean;
  readonly isRepeated: boolean;
  readonly rejectsPath: string | undefined;
  readonly signal: AbortSignal;
  /** Reports progress. `share` is the share of the file's bytes, because the number of rows is unknown. */
  readonly onProgress: (records: number, share: number) => void;
}

/** Imports a file of tokens into a tenant. */
export async function importTokens(config: VaultConfig, order: ImportOrder): Promise<ImportReport> {
  if (order.isResumed && order.isRepeated) {
    throw new Error('--resume continues an import and --again starts it over. Use only one of them.');
  }
  const file = await openRegularFile(order.path);
  try {
    await requireOtherFile(order.path, order.rejectsPath);
    const core = await VaultCore.open(config);
    try {
      return await importFrom(file, core, order);
    } finally {
      await core.close();
    }
  } finally {
    await file.close();
  }
}

async function importFrom(file: FileHandle, core: VaultCore, order: ImportOrder): Promise<ImportReport> {
  const { tenantId, format, map, dropsCvc, vouchesForViews } = order;
  const { database, keyring } = core;
  const before = await file.stat();
  // This fails if the tenant does not exist, because it has no keys. Nothing else would report that.
  await keyring.forTenant(tenantId);
  await database.forTenant(tenantId, (tx) => requireOpenTenant(tx, tenantId));
  const header = format === 'csv' ? await readCsvHeader(file) : undefined;
  const columns = header === undefined ? undefined : toColumnTargets(header.columns, map);
  const { fingerprintTokens, lifeLimits } = await readTenantSettings(database, tenantId);
  const tokenImport = new TokenImport({ database, keyring, tenantId });
  const target = order.isDryRun
    ? await rehearse(core, order)
    : await begin(core, tokenImport, order, await sha256OfChunks(readChunks(file, 0)));
  if (target.isFinished) {
    await target.rejects?.close();
    return { ...target.from, codesDropped: 0, isFinished: true, resumedAt: target.from.line };
  }

  const intake = { tenantId, hasFingerprints: fingerprintTokens, lifeLimits, dropsCvc, vouchesForViews };
  const threads = Math.max(1, Math.min(threadsMax, availableParallelism() - 1));
  const pool = new PreparerPool({ intake, shape: { map, columns } }, threads);
  try {
    const report = await tokenImport.run(
      file,
      { pool, writer: target.writer, hasQuotes: format === 'csv' },
      {
        from: target.from,
        headerEnd: header?.end ?? { offset: 0, lines: 0 },
        signal: order.signal,
        onProgress: ({ imported, rejected, position }) =>
          order.onProgress(imported + rejected, position / Math.max(before.size, 1)),
      },
    );
    const after = await file.stat();
    if (after.size !== before.size || after.mtimeMs !== before.mtimeMs) {
      throw new Error(
        'The file changed during the import. The imported data is what the file contained when it was read.',
      );
    }
    return report;
  } finally {
    await Promise.all([pool.close(), target.rejects?.close()]);
  }
}

async function rehearse({ database }: VaultCore, { tenantId, rejectsPath }: ImportOrder) {
  const rejects = rejectsPath === undefined ? undefined : await RejectFile.begin(rejectsPath);
  return {
    from: nothingYet,
    isFinished: false,
    rejects,
    writer: new RehearsalWriter({ database, tenantId, rejects }),
  };
}

async function begin(core: VaultCore, tokenImport: TokenImport, order: ImportOrder, digest: Buffer) {
  const { tenantId, isResumed, isRepeated } = order;
  const rejectsPath = order.rejectsPath ?? `${order.path}.rejects.ndjson`;
  // The last part is only added if it is set, so that imports started by an earlier version can be resumed.
  const reading = JSON.stringify([
    order.format,
    order.map,
    order.dropsCvc,
    ...(order.vouchesForViews ? ['views'] : []),
  ]);
  const identity = await tokenImport.identify(digest, reading);
  const found = await tokenImport.findState(identity, { isResumed, isRepeated });
  const { state, isFinished } = found ?? { state: nothingYet, isFinished: false };
  // The file is opened first, because an import that cannot report its rejects must not start.
  const rejects =
    found === undefined ? await RejectFile.begin(rejectsPath) : await RejectFile.resume(rejectsPath, state.line);
  if (found === undefined) await tokenImport.begin(identity, { isRepeated });
  const writer = new VaultWriter({ database: core.database, tenantId, source: identity.source, rejects });
  return { from: state, isFinished, rejects, writer };
}

async function openRegularFile(path: string): Promise<FileHandle> {
  const file = await open(path, 'r').catch((error: unknown) => {
    throw new Error(`The file ${path} cannot be read. Check its name and permissions.`, { cause: error });
  });
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw new Error(
    `${path} is not a regular file. An import reads its file twice so that it can be resumed, so it cannot read from a pipe.`,
  );
}

async function requireOtherFile(path: string, rejectsPath: string | undefined): Promise<void> {
  if (rejectsPath === undefined) return;
  const found = await realpath(rejectsPath).catch(() => undefined);
  if (found !== undefined && found === (await realpath(path))) {
    throw new Error('--rejects names the file being imported. Name another file.');
  }
}
