import { createReadStream, createWriteStream } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { TenantId } from '../core/identity/ids.ts';
import {
  ExportApprovals,
  type ExportHead,
  ExportRunner,
  ManifestWriter,
  type TokenExport,
} from '../features/exports/index.ts';
import { TokenPresenter, TokenStore } from '../features/tokens/index.ts';
import type { VaultConfig } from '../platform/config/config.ts';
import { noCvcSealer } from '../platform/keyring/cvc-sealer.ts';
import { encryptFor } from '../platform/keyring/export-recipient.ts';
import { sha256OfChunks } from '../platform/keyring/sha256.ts';
import { VaultCore } from './vault-core.ts';

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

/** Does something with the exports of a vault, and closes everything again. */
export async function withExports<T>(config: VaultConfig, work: (exports: ExportApprovals) => Promise<T>): Promise<T> {
  const core = await VaultCore.open(config);
  try {
    return await work(new ExportApprovals(core.database));
  } finally {
    await core.close();
  }
}

/** Writes an export that was approved to a file. Plaintext is encrypted before it gets there. */
export async function exportTokens(config: VaultConfig, order: ExportOrder): Promise<ExportReport> {
  const { tenantId, exportId, output } = order;
  const manifest = `${output}.manifest`;
  const core = await VaultCore.open(config);
  try {
    const { database, keyring } = core;
    // Before the permission is taken, which is good for one run: a name that cannot be written must not use it up.
    for (const path of [output, manifest]) await requireNewFile(path);
    const opener = new TokenPresenter({ keyring, cvcSealer: noCvcSealer });
    const runner = new ExportRunner({ database, tokens: new TokenStore(database), opener, tenantId });
    const started = await runner.start(exportId);
    let tokens = 0;
    try {
      const report = await write(runner, started, { ...order, manifest, onTokens: (count) => (tokens += count) });
      await runner.end(exportId, { isSuccess: true, tokens });
      return report;
    } catch (error) {
      await Promise.all([output, manifest].map((path) => rm(path, { force: true })));
      await runner.end(exportId, { isSuccess: false, tokens });
      throw error;
    }
  } finally {
    await core.close();
  }
}

async function write(
  runner: ExportRunner,
  started: TokenExport,
  order: ExportOrder & { readonly manifest: string; readonly onTokens: (count: number) => number },
): Promise<ExportReport> {
  const { output, manifest } = order;
  const head: ExportHead = {
    version: 1,
    export_id: started.id,
    tenant_id: order.tenantId,
    created_at: new Date().toISOString(),
    recipient: started.recipient.fingerprint,
  };
  const list = new ManifestWriter(manifest, head);
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
  try {
    const encrypted = await encryptFor(started.recipient, ReadableStream.from(plaintext()));
    await pipeline(Readable.fromWeb(encrypted), createWriteStream(output, { flags: 'wx', mode: 0o600 }), {
      signal: order.signal,
    });
    const digest = await sha256OfChunks(createReadStream(output));
    const fileSha256 = digest.toString('hex');
    await list.finish({ tokens, file_sha256: fileSha256 });
    return { tokens, output, manifest, fileSha256 };
  } catch (error) {
    list.abandon();
    throw error;
  }
}

async function requireNewFile(path: string): Promise<void> {
  const file = await open(path, 'wx', 0o600).catch((error: unknown) => {
    throw new Error(`${path} cannot be written, or exists already. Name another file with --output.`, { cause: error });
  });
  await file.close();
  await rm(path);
}
