import { readFile } from 'node:fs/promises';
import { hostname, userInfo } from 'node:os';
import { Command } from 'commander';
import { parseContainer } from '../core/access/container.ts';
import type { TenantId } from '../core/identity/ids.ts';
import type { ExportApprovals, ManifestVerdict, TokenExport } from '../features/exports/index.ts';
import { processEnvironment, readLinkConfig, readVaultConfig, type VaultConfig } from '../platform/config/config.ts';
import type { ExportRecipient } from '../platform/keyring/export-recipient.ts';
import { parseUuid, parseTenant } from './terminal/arguments.ts';
import { printJson, printText } from './terminal/output.ts';
import { Progress } from './terminal/progress.ts';
import { stopSignal } from './terminal/stop-signal.ts';

interface RequestFlags {
  readonly tenant: TenantId;
  readonly recipient?: string;
  readonly pgpKey?: string;
  readonly type?: string;
  readonly container?: string;
  readonly json?: boolean;
}

interface ExportFlags {
  readonly tenant: TenantId;
  readonly export: string;
  readonly json?: boolean;
}

export function exportCommand(): Command {
  return new Command('export')
    .description('Export the tokens of a tenant, with approval from its members, encrypted to a recipient.')
    .addCommand(requestCommand())
    .addCommand(statusCommand())
    .addCommand(cancelCommand())
    .addCommand(runCommand())
    .addCommand(checkCommand())
    .addHelpText(
      'after',
      `
  strongroom export request --tenant <id> --recipient age1…       ask; prints the id of the export
  (two owners or admins approve it in the portal; a test tenant needs nobody)
  strongroom export run --tenant <id> --export <id> --output tokens.age
  age --decrypt --identity key.txt tokens.age | …                 at the recipient's`,
    );
}

function requestCommand(): Command {
  return new Command('request')
    .description('Request an export. No data leaves the vault until it is approved and run.')
    .requiredOption('--tenant <id>', 'tenant to export from', parseTenant)
    .option('--recipient <age1…>', 'age recipient to encrypt the export to')
    .option('--pgp-key <file>', 'armored OpenPGP public key to encrypt the export to')
    .option('--type <type>', 'only tokens of this type')
    .option('--container <container>', 'only tokens in exactly this container')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
In a production tenant, two different owners or admins must approve within 24 hours, signed in to the portal with their
passkey, password or provider. They see what will be exported, to whom, and who requested it. An approval is valid for one run.`,
    )
    .action(async (flags: RequestFlags) => {
      const recipient = await readRecipient(flags);
      if (flags.container !== undefined && parseContainer(flags.container) === undefined) {
        throw new Error('A container must start and end with a slash, as in /pci/high/.');
      }
      const config = readLinkConfig(processEnvironment());
      const made = await withExports(config, (exports) =>
        exports.request(flags.tenant, {
          recipient,
          filter: { type: flags.type ?? null, container: flags.container ?? null },
          requestedFrom: `${userInfo().username}@${hostname()}`.slice(0, 200),
        }),
      );
      const page = `${config.publicUrl}/portal/exports`;
      if (flags.json === true) printJson({ ...toExportJson(made), approve_at: page });
      else printText(describeRequest(made, flags.tenant, page));
    });
}

function statusCommand(): Command {
  return exportSubcommand('status', 'Show the status of an export.').action(
    async ({ tenant, export: id, json }: ExportFlags) => {
      const found = await withExports(readVaultConfig(processEnvironment()), (exports) => exports.get(tenant, id));
      if (json === true) printJson(toExportJson(found));
      else
        printText(`Export ${id} is ${found.status}: ${found.approvals.length} of ${found.approvalsNeeded} approvals.`);
    },
  );
}

function cancelCommand(): Command {
  return exportSubcommand('cancel', 'Cancel an export that has not been run.').action(
    async ({ tenant, export: id, json }: ExportFlags) => {
      await withExports(readVaultConfig(processEnvironment()), (exports) => exports.refuse(tenant, id, 'system'));
      if (json === true) printJson({ id, status: 'refused' });
      else printText(`Export ${id} is cancelled.`);
    },
  );
}

function runCommand(): Command {
  return exportSubcommand('run', 'Write an approved export to a file.')
    .requiredOption('--output <file>', 'file to write, which must not exist; the manifest is written next to it')
    .addHelpText(
      'after',
      `
The file has a line of JSON for each token that has not expired, in the form that \`strongroom import\` reads, encrypted to
the recipient; plaintext is never written to disk. Card verification codes are not exported. Each token is recorded as read in
the audit log before it leaves the vault. The manifest has keyed hashes of the rows, for \`strongroom export check\`.`,
    )
    .action(async ({ tenant, export: id, output, json }: ExportFlags & { output: string }) => {
      const config = readVaultConfig(processEnvironment());
      const signal = stopSignal();
      const { exportTokens } = await import('../app/operations/export-tokens.ts');
      const progress = new Progress('Exporting', json !== true);
      const report = await exportTokens(config, {
        tenantId: tenant,
        exportId: id,
        output,
        signal,
        onProgress: (tokens) => progress.update(tokens, undefined),
      });
      progress.end();
      if (json === true) {
        const { tokens, manifest, fileSha256 } = report;
        printJson({ tokens, output, manifest, file_sha256: fileSha256 });
      } else printText(`${report.tokens} tokens were written to ${output}, and their hashes to ${report.manifest}.`);
    });
}

function checkCommand(): Command {
  return new Command('check')
    .description('Compare a decrypted export with its manifest. Needs no vault.')
    .requiredOption('--file <file>', 'the decrypted export')
    .requiredOption('--manifest <file>', 'its manifest')
    .option('--json', 'print the result as JSON')
    .action(async (flags: { file: string; manifest: string; json?: boolean }) => {
      const { checkManifest } = await import('../features/exports/index.ts');
      const verdict = await checkManifest(flags.file, flags.manifest);
      const isOk = verdict.changedCount === 0 && verdict.surplus === 0 && verdict.end?.tokens === verdict.rows;
      if (flags.json === true) {
        const { rows, changed, changedCount, surplus, end } = verdict;
        printJson({ ok: isOk, rows, changed, changed_count: changedCount, surplus, complete: end !== undefined });
      } else printText(isOk ? `All ${verdict.rows} rows match the manifest.` : describeVerdict(verdict));
      if (!isOk) process.exitCode = 1;
    });
}

function exportSubcommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .requiredOption('--tenant <id>', 'tenant that the export belongs to', parseTenant)
    .requiredOption('--export <id>', 'id of the export', parseUuid)
    .option('--json', 'print the result as JSON');
}

async function withExports<T>(config: VaultConfig, work: (exports: ExportApprovals) => Promise<T>): Promise<T> {
  const { withExports: open } = await import('../app/operations/export-tokens.ts');
  return open(config, work);
}

async function readRecipient({ recipient, pgpKey }: RequestFlags): Promise<ExportRecipient> {
  if ((recipient === undefined) === (pgpKey === undefined)) {
    throw new Error('Specify the recipient with either --recipient age1… or --pgp-key <file>.');
  }
  const { parseAgeRecipient, parsePgpKey } = await import('../platform/keyring/export-recipient.ts');
  return recipient === undefined ? parsePgpKey(await readFile(pgpKey ?? '', 'utf8')) : parseAgeRecipient(recipient);
}

function toExportJson({ id, status, recipient, approvals, approvalsNeeded, expiresAt, tokens }: TokenExport) {
  return {
    id,
    status,
    recipient: recipient.fingerprint,
    approvals: approvals.map(({ userId, approvedAt }) => ({ user_id: userId, approved_at: approvedAt.toISOString() })),
    approvals_needed: approvalsNeeded,
    expires_at: expiresAt.toISOString(),
    tokens,
  };
}

function describeRequest({ id, approvalsNeeded, recipient }: TokenExport, tenant: TenantId, page: string): string {
  const next = `strongroom export run --tenant ${tenant} --export ${id} --output tokens.${recipient.kind}`;
  return approvalsNeeded === 0
    ? `Export ${id} needs no approval in a test tenant. Run it:\n\n  ${next}\n`
    : `Export ${id} needs ${approvalsNeeded} approvals within 24 hours, at:\n\n  ${page}\n\nThen run it:\n\n  ${next}\n`;
}

function describeVerdict({ rows, changed, changedCount, surplus, end }: ManifestVerdict): string {
  return [
    ...(changedCount === 0
      ? []
      : [`${changedCount} of ${rows} rows differ from what was exported: ${changed.join(', ')}.`]),
    ...(surplus === 0 ? [] : [`The file has ${surplus} lines that are not in the manifest.`]),
    ...(end === undefined ? ['The manifest is incomplete: the export was not finished.'] : []),
  ].join('\n');
}
