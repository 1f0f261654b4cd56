import { readFile } from 'node:fs/promises';
import { hostname, userInfo } from 'node:os';
import { Command } from 'commander';
import { parseContainer } from '../core/access/container.ts';
import type { TenantId } from '../core/identity/ids.ts';
import type { ExportApprovals, ManifestVerdict, TokenExport } from '../features/exports/index.ts';
import { processEnvironment, readLinkConfig, readVaultConfig, type VaultConfig } from '../platform/config/config.ts';
import type { ExportRecipient } from '../platform/keyring/export-recipient.ts';
import { parseUuid, parseTenant } from './arguments.ts';
import { printJson, printText } from './output.ts';
import { Progress } from './progress.ts';
import { stopSignal } from './stop-signal.ts';

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
    .description('Take the tokens of a tenant out: approved by people, encrypted to a recipient.')
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
    .description('Ask for an export. Nothing leaves before it is approved and run.')
    .requiredOption('--tenant <id>', 'tenant to export from', parseTenant)
    .option('--recipient <age1…>', 'age recipient that the export is encrypted to')
    .option('--pgp-key <file>', 'OpenPGP public key, in armor, that it is encrypted to')
    .option('--type <type>', 'only tokens of this type')
    .option('--container <container>', 'only tokens in exactly this container')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
In a production tenant two different owners or admins have to approve within 24 hours, signed in to the portal with their
passkey, password or provider. They see what will leave, for whom, and who asked. An approval is good for one run.`,
    )
    .action(async (flags: RequestFlags) => {
      const recipient = await readRecipient(flags);
      if (flags.container !== undefined && parseContainer(flags.container) === undefined) {
        throw new Error('A container begins and ends with a slash: /pci/high/.');
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
  return exportSubcommand('status', 'Show how far an export is.').action(
    async ({ tenant, export: id, json }: ExportFlags) => {
      const found = await withExports(readVaultConfig(processEnvironment()), (exports) => exports.get(tenant, id));
      if (json === true) printJson(toExportJson(found));
      else
        printText(`Export ${id} is ${found.status}: ${found.approvals.length} of ${found.approvalsNeeded} approvals.`);
    },
  );
}

function cancelCommand(): Command {
  return exportSubcommand('cancel', 'Withdraw an export that has not been run.').action(
    async ({ tenant, export: id, json }: ExportFlags) => {
      await withExports(readVaultConfig(processEnvironment()), (exports) => exports.refuse(tenant, id, 'system'));
      if (json === true) printJson({ id, status: 'refused' });
      else printText(`Export ${id} is withdrawn.`);
    },
  );
}

function runCommand(): Command {
  return exportSubcommand('run', 'Write an export that was approved to a file.')
    .requiredOption('--output <file>', 'where to write; must not exist. Its manifest is written beside it')
    .addHelpText(
      'after',
      `
The file holds one line of JSON for each token that lives, in the form that \`strongroom import\` takes, encrypted to the
recipient; plaintext never reaches the disk. Verification codes are not in it. Each token leaves a record of its reading in
the audit log before it leaves the vault. The manifest holds keyed hashes of the rows: \`strongroom export check\`.`,
    )
    .action(async ({ tenant, export: id, output, json }: ExportFlags & { output: string }) => {
      const config = readVaultConfig(processEnvironment());
      const signal = stopSignal();
      const { exportTokens } = await import('../app/export-tokens.ts');
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
      } else printText(`${report.tokens} tokens are in ${output}, their hashes in ${report.manifest}.`);
    });
}

function checkCommand(): Command {
  return new Command('check')
    .description('Compare a decrypted export with its manifest, without a vault.')
    .requiredOption('--file <file>', 'the export, decrypted')
    .requiredOption('--manifest <file>', 'its manifest')
    .option('--json', 'print the result as JSON')
    .action(async (flags: { file: string; manifest: string; json?: boolean }) => {
      const { checkManifest } = await import('../features/exports/index.ts');
      const verdict = await checkManifest(flags.file, flags.manifest);
      const isOk = verdict.changedCount === 0 && verdict.surplus === 0 && verdict.end?.tokens === verdict.rows;
      if (flags.json === true) {
        const { rows, changed, changedCount, surplus, end } = verdict;
        printJson({ ok: isOk, rows, changed, changed_count: changedCount, surplus, complete: end !== undefined });
      } else printText(isOk ? `All ${verdict.rows} rows are as they were exported.` : describeVerdict(verdict));
      if (!isOk) process.exitCode = 1;
    });
}

function exportSubcommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .requiredOption('--tenant <id>', 'tenant of the export', parseTenant)
    .requiredOption('--export <id>', 'id of the export', parseUuid)
    .option('--json', 'print the result as JSON');
}

async function withExports<T>(config: VaultConfig, work: (exports: ExportApprovals) => Promise<T>): Promise<T> {
  const { withExports: open } = await import('../app/export-tokens.ts');
  return open(config, work);
}

async function readRecipient({ recipient, pgpKey }: RequestFlags): Promise<ExportRecipient> {
  if ((recipient === undefined) === (pgpKey === undefined)) {
    throw new Error('Name the recipient: either --recipient age1… or --pgp-key <file>.');
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
    : `Export ${id} waits for ${approvalsNeeded} approvals, within 24 hours, at:\n\n  ${page}\n\nThen run it:\n\n  ${next}\n`;
}

function describeVerdict({ rows, changed, changedCount, surplus, end }: ManifestVerdict): string {
  return [
    ...(changedCount === 0
      ? []
      : [`${changedCount} of ${rows} rows are not what was exported: ${changed.join(', ')}.`]),
    ...(surplus === 0 ? [] : [`${surplus} lines are in the file that the manifest does not have.`]),
    ...(end === undefined ? ['The manifest has no end: the export was not finished.'] : []),
  ].join('\n');
}
