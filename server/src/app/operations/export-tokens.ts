import type { TenantId } from '../../core/identity/ids.ts';
import {
  ExportApprovals,
  type ExportHead,
  ExportRunner,
  ManifestWriter,
  type TokenExport,
} from '../../features/exports/index.ts';
import { readTenantSettings } from '../../features/tenants/index.ts';
import { TokenPresenter, TokenStore, unlimitedSets } from '../../features/tokens/index.ts';
import type { VaultConfig } from '../../platform/config/config.ts';
import { readChunks } from '../../platform/files/record-reader.ts';
import { noCvcSealer } from '../../platform/keyring/sealing/cvc-sealer.ts';
import { encryptFor } from '../../platform/keyring/export-recipient.ts';
import { sha256OfChunks } from '../../platform/keyring/sealing/sha256.ts';
import { ExportFiles } from './export-files.ts';
import { VaultCore } from '../wiring/vault-core.ts';

export interface ExportOrder {
  readonly tenantId: TenantId;
  readonly exportId: string;
  readonly output: string;
  readonly signal: AbortSignal;
  readonly onProgress: (tokens: number) => void;
}

export interface ExportReport {
  readonly tokens: number;
  readonly output: string;
  readonly manifest: string;
  readonly fileSha256: string;
}

/** Opens the exports of a vault for `work`, and closes everything afterwards. */
export async function withExports<T>(config: VaultConfig, work: (exports: ExportApprovals) => Promise<T>): Promise<T> {
  const core = await VaultCore.open(config);
  try {
    return await work(new ExportApprovals(core.database));
  } finally {
    await core.close();
  }
}

/** Writes an approved export to a file. Plaintext is encrypted before it is written. */
export async function exportTokens(config: VaultConfig, order: ExportOrder): Promise<ExportReport> {
  const core = await VaultCore.open(config);
  try {
    // The files are created before the approval is used. It is valid for one run, and an unwritable file name must not
    // use it up.
    const files = await ExportFiles.create(order.output);
    try {
      const report = await runInto(files, core, order);
      await files.close();
      return report;
    } catch (error) {
      await files.remove();
      throw error;
    }
  } finally {
    await core.close();
  }
}

async function runInto(
  files: ExportFiles,
  { database, keyring }: VaultCore,
  order: ExportOrder,
): Promise<ExportReport> {
  const { tenantId, exportId } = order;
  const settings = { get: (id: TenantId) => readTenantSettings(database, id) };
  const opener = new TokenPresenter({ keyring, cvcSealer: noCvcSealer, settings });
  const runner = new ExportRunner({ database, tokens: new TokenStore(database, unlimitedSets), opener, tenantId });
  const started = await runner.start(exportId);
  let tokens = 0;
  try {
    const report = await write(runner, started, { ...order, files, onTokens: (count) => (tokens += count) });
    await runner.end(exportId, { isSuccess: true, tokens });
    return report;
  } catch (error) {
    // The original error is thrown, even if it also prevents the failure from being recorded.
    await runner.end(exportId, { isSuccess: false, tokens }).catch(() => undefined);
    throw error;
  }
}

async function write(
  runner: ExportRunner,
  started: TokenExport,
  order: ExportOrder & { readonly files: ExportFiles; readonly onTokens: (count: number) => number },
): Promise<ExportReport> {
  const { output, manifest } = order.files;
  const head: ExportHead = {
    version: 1,
    export_id: started.id,
    tenant_id: order.tenantId,
    created_at: new Date().toISOString(),
    recipient: started.recipient.fingerprint,
  };
  const list = await ManifestWriter.begin(manifest.handle, head);
  let tokens = 0;
  async function* plaintext(): AsyncGenerator<Uint8Array> {
    for await (const { text, rows } of runner.pages(started, head)) {
      order.signal.throwIfAborted();
      await list.add(rows);
      tokens = order.onTokens(rows.length);
      order.onProgress(tokens);
      yield Buffer.from(text, 'utf8');
    }
  }
  const encrypted = await encryptFor(started.recipient, ReadableStream.from(plaintext()));
  for await (const chunk of encrypted) {
    order.signal.throwIfAborted();
    await output.handle.appendFile(chunk);
  }
  // The approval is used up, so data reported as written must be on disk.
  await output.handle.sync();
  const fileSha256 = (await sha256OfChunks(readChunks(output.handle, 0))).toString('hex');
  await list.finish({ tokens, file_sha256: fileSha256 });
  return { tokens, output: output.path, manifest: manifest.path, fileSha256 };
}
