import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { exportTokens } from '../../src/app/operations/export-tokens.ts';
import { parseTenantId } from '../../src/core/identity/ids.ts';
import { ExportApprovals, type TokenExport } from '../../src/features/exports/index.ts';
import { type ExportRecipient, parseAgeRecipient, parsePgpKey } from '../../src/platform/keyring/export-recipient.ts';
import type { TestTenant, TestVault } from './test-vault.ts';

const run = promisify(execFile);

/** A folder with a recipient's keys, created by the real programs. Exports run without the command line. */
export class ExportFolder {
  readonly directory: string;
  readonly age: ExportRecipient;

  static async make(): Promise<ExportFolder> {
    const directory = await mkdtemp(path.join(tmpdir(), 'strongroom-export-'));
    await run('age-keygen', ['-o', path.join(directory, 'age.key')]);
    const { stdout } = await run('age-keygen', ['-y', path.join(directory, 'age.key')]);
    return new ExportFolder(directory, await parseAgeRecipient(stdout.trim()));
  }

  private constructor(directory: string, age: ExportRecipient) {
    this.directory = directory;
    this.age = age;
  }

  path(name: string): string {
    return path.join(this.directory, name);
  }

  request(
    vault: Pick<TestVault, 'server'>,
    tenant: Pick<TestTenant, 'id'>,
    wish: { recipient?: ExportRecipient; type?: string; container?: string } = {},
  ): Promise<TokenExport> {
    return new ExportApprovals(vault.server.core.database).request(parseTenantId(tenant.id), {
      recipient: wish.recipient ?? this.age,
      filter: { type: wish.type ?? null, container: wish.container ?? null },
      requestedFrom: 'operator@machine',
    });
  }

  run(vault: Pick<TestVault, 'config'>, tenant: Pick<TestTenant, 'id'>, exportId: string, output: string) {
    return exportTokens(vault.config, {
      tenantId: parseTenantId(tenant.id),
      exportId,
      output,
      signal: new AbortController().signal,
      onProgress: () => undefined,
    });
  }

  /** Decrypts with the real age program and writes the plaintext next to the file. */
  async decryptAge(file: string): Promise<string> {
    await run('age', ['--decrypt', '--identity', this.path('age.key'), '--output', `${file}.plain`, file]);
    return `${file}.plain`;
  }

  /** Creates a key pair in its own home directory with the real gpg program. */
  async makePgp(): Promise<ExportRecipient> {
    const home = this.path('gnupg');
    await run('mkdir', ['-m', '700', home]);
    const gpg = (...given: string[]) => run('gpg', ['--homedir', home, '--batch', ...given]);
    await gpg('--passphrase', '', '--quick-generate-key', 'Recipient <recipient@example.com>', 'default', 'default');
    await gpg('--armor', '--output', this.path('public.asc'), '--export', 'recipient@example.com');
    return parsePgpKey(await readFile(this.path('public.asc'), 'utf8'));
  }

  async decryptPgp(file: string): Promise<string> {
    await run('gpg', ['--homedir', this.path('gnupg'), '--batch', '--output', `${file}.plain`, '--decrypt', file]);
    return `${file}.plain`;
  }

  async write(name: string, text: string): Promise<string> {
    await writeFile(this.path(name), text);
    return this.path(name);
  }

  async remove(): Promise<void> {
    await run('gpgconf', ['--homedir', this.path('gnupg'), '--kill', 'all']).catch(() => undefined);
    await rm(this.directory, { recursive: true });
  }
}
