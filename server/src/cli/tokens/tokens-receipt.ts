import { Command } from 'commander';
import type { TenantId } from '../../core/identity/ids.ts';
import { counted } from '../../core/text/counted.ts';
import type { ReceiptVerdict } from '../../features/retention/index.ts';
import { parsePublicKey, parseTenant, parseUuid } from '../terminal/arguments.ts';
import { printJson, printText } from '../terminal/output.ts';
import { withErasures } from './tokens-erase.ts';

interface WriteFlags {
  readonly tenant: TenantId;
  readonly erasure: string;
  readonly output: string;
}

export function receiptCommand(): Command {
  return new Command('receipt')
    .description('Write the signed receipt of an erasure to a file, or check one.')
    .addCommand(writeCommand())
    .addCommand(verifyCommand());
}

function writeCommand(): Command {
  return new Command('write')
    .description('Write the receipt of a finished erasure to a new file.')
    .requiredOption('--tenant <id>', 'tenant of the erasure', parseTenant)
    .requiredOption('--erasure <id>', 'the erasure', parseUuid)
    .requiredOption('--output <file>', 'new file for the receipt')
    .action(async ({ tenant, erasure, output }: WriteFlags) => {
      await withErasures(tenant, async (erasures, requester, { database }) => {
        const { ErasureReceipts } = await import('../../features/retention/index.ts');
        const { withNewFile } = await import('../../platform/files/new-file.ts');
        const { LogReader } = await import('../../platform/audit/verify/log-reader.ts');
        const receipts = new ErasureReceipts({ database, reader: new LogReader(database, 'one tenant'), erasures });
        const parts = await receipts.read(requester, erasure);
        await withNewFile(output, 'the receipt', async (file) => {
          for await (const part of parts) await file.write(part);
        });
      });
      printText(`${output} has the receipt. Anyone who receives it can check it without the vault:`);
      printText(`  strongroom tokens receipt verify ${output} --public-key <key from \`strongroom audit verify\`>`);
    });
}

function verifyCommand(): Command {
  return new Command('verify')
    .description('Check that a receipt is as the vault wrote it. Needs no vault.')
    .argument('<file>', 'the receipt')
    .requiredOption('--public-key <key>', 'the expected signing key, as base64', parsePublicKey)
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
Checks the signature, that no byte was changed, that each record says that a token was removed, and that all of them are in the log
that the vault has signed. Exits with 1 when it finds something. Get the key from the operator through another channel than the
receipt: \`strongroom audit verify\` prints it.`,
    )
    .action(async (file: string, { publicKey, json }: { publicKey: Buffer; json?: boolean }) => {
      const { checkReceipt } = await import('../../features/retention/index.ts');
      const verdict = await checkReceipt(file, publicKey);
      if (json === true) printJson(toVerdictJson(verdict));
      else printText(describe(verdict));
      if (verdict.problem !== undefined) process.exitCode = 1;
    });
}

function toVerdictJson({ problem, head }: ReceiptVerdict): object {
  const { proof: _proof, ...receipt } = head ?? {};
  return { ok: problem === undefined, problem: problem ?? null, receipt: head === undefined ? null : receipt };
}

function describe({ problem, head }: ReceiptVerdict): string {
  if (head === undefined) return `FAIL ${problem ?? ''}`;
  const { tokens, held, tenant_id: tenant, finished_at: at, backups, is_limited: isLimited } = head;
  return [
    `The receipt is as the vault wrote it at ${at}. Tenant ${tenant}, erasure ${head.erasure_id}.`,
    `Proved: ${counted(tokens, 'token')} removed, each recorded in the signed log.`,
    ...(held === 0 ? [] : [`A legal hold kept ${counted(held, 'more token')}.`]),
    ...(isLimited ? ['The requester could not delete every token, so that others that match may be left.'] : []),
    ...(head.copy_in_cell === undefined ? [] : [describeCopy(head.copy_in_cell)]),
    backups === null
      ? 'It does not say when the last backup with these tokens is gone.'
      : `The last backup with these tokens is gone by ${backups.gone_at}: the operator keeps backups for ${counted(backups.kept_days, 'day')}.`,
  ].join('\n');
}

function describeCopy(cell: string): string {
  return `The tenant was being moved: the cell ${cell} had a copy of it, which may still have these tokens and be in backups there.`;
}
