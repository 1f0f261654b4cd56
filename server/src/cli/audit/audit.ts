import { Command } from 'commander';
import type { OpenLog } from '../../platform/audit/verify/log-verification.ts';
import { processEnvironment, readLogConfig } from '../../platform/config/config.ts';
import { parsePublicKey, parseUuid } from '../terminal/arguments.ts';
import { archiveCommand } from './audit-archive.ts';
import { checkStreamCommand } from './audit-check-stream.ts';
import { exposureCommand, tokenCommand } from './audit-exposure.ts';
import { describeProofs, describeVerdict, isSound, toVerdictJson } from './audit-text.ts';
import { whoCommand } from './audit-who.ts';
import { printJson, printText } from '../terminal/output.ts';
import { Progress } from '../terminal/progress.ts';

interface VerifyFlags {
  readonly tenant?: string;
  readonly from?: string;
  readonly anchor?: string;
  readonly publicKey?: Buffer;
  readonly json?: boolean;
}

export function auditCommand(): Command {
  return new Command('audit')
    .description('Verify, export or archive the audit log, prove a record, or find out who saw what.')
    .addCommand(verifyCommand())
    .addCommand(exportCommand())
    .addCommand(archiveCommand())
    .addCommand(proveCommand())
    .addCommand(checkCommand())
    .addCommand(checkStreamCommand())
    .addCommand(exposureCommand())
    .addCommand(tokenCommand())
    .addCommand(whoCommand());
}

function verifyCommand(): Command {
  return new Command('verify')
    .description('Recompute the log from its records and compare it with the sealed checkpoints.')
    .option('--tenant <id>', 'only this tenant', parseUuid)
    .option('--from <file>', 'verify an export instead of the database')
    .option('--anchor <file>', 'also compare with the checkpoints in this anchor file')
    .option('--public-key <key>', 'with --from: the expected signing key, as base64', parsePublicKey)
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
Finds records and checkpoints that were changed, removed or added, and says where. Exits with 1 when it finds something.
Names how many records are not sealed yet, for how long, and why: nothing vouches for those.
If STRONGROOM_AUDIT_ARCHIVE is set, months that are in the archive are verified there.
Anyone who can write to the database can remove the newest records together with their checkpoints: only an anchor shows that.`,
    )
    .action(async (flags: VerifyFlags) => {
      const { verifyDatabase, verifyExport } = await import('../../platform/audit/verify/log-verification.ts');
      const progress = new Progress('Verifying records', flags.json !== true);
      const options = { anchorFile: flags.anchor, onProgress: progress.update.bind(progress) };
      const verdict =
        flags.from === undefined
          ? await withOwnLog((log) => verifyDatabase(log, flags.tenant, options))
          : await verifyExport(flags.from, flags.publicKey, options);
      progress.end();
      if (flags.json === true) printJson(toVerdictJson(verdict));
      else
        printText(describeVerdict(verdict, { isKeyUnsure: flags.from !== undefined && flags.publicKey === undefined }));
      if (!isSound(verdict)) process.exitCode = 1;
    });
}

function exportCommand(): Command {
  return new Command('export')
    .description('Write the sealed log to a file of JSON lines that can be verified without the vault.')
    .requiredOption('--output <file>', 'file to write; a file from an earlier run is continued')
    .option('--tenant <id>', 'only this tenant', parseUuid)
    .option('--json', 'print the result as JSON')
    .action(async (flags: { output: string; tenant?: string; json?: boolean }) => {
      const progress = new Progress('Exporting records', flags.json !== true);
      const report = await withOwnLog(async ({ reader, publicKey }) => {
        const { writeExport } = await import('../../platform/audit/verify/log-export.ts');
        return writeExport({
          path: flags.output,
          reader,
          publicKey,
          tenantIds: flags.tenant === undefined ? await reader.listTenants() : [flags.tenant],
          onProgress: ({ records }) => progress.update(records, undefined),
        });
      });
      progress.end();
      if (flags.json === true) printJson(report);
      else printText(`Wrote ${report.records} records and ${report.checkpoints} checkpoints to ${flags.output}.`);
    });
}

function proveCommand(): Command {
  return new Command('prove')
    .description('Prove that a record is in the sealed log without revealing any other record.')
    .requiredOption('--tenant <id>', 'tenant that the record belongs to', parseUuid)
    .requiredOption('--record <id>', 'id of the record, as in GET /logs', parseUuid)
    .addHelpText('after', '\nPrints the proof as JSON. Anyone can verify it with `strongroom audit check`.')
    .action(async (flags: { tenant: string; record: string }) => {
      printJson(
        await withOwnLog(async ({ reader, publicKey }) => {
          const { proveInclusion, toProofJson } = await import('../../platform/audit/verify/inclusion-proof.ts');
          const proof = await proveInclusion(reader, flags.tenant, flags.record);
          return { ...toProofJson(proof), public_key: publicKey.toString('base64') };
        }),
      );
    });
}

function checkCommand(): Command {
  return new Command('check')
    .description('Check proofs of records. Needs no database.')
    .argument('<file>', 'the output of `strongroom audit prove`, or a file written by --prove')
    .requiredOption('--public-key <key>', 'the expected signing key, as base64', parsePublicKey)
    .option('--json', 'print the result as JSON')
    .action(async (file: string, flags: { publicKey: Buffer; json?: boolean }) => {
      const { checkProofs } = await import('../../platform/audit/verify/proof-file.ts');
      const { proven, failed } = await checkProofs(file, flags.publicKey);
      const isOk = failed === 0 && proven.length > 0;
      if (flags.json === true) printJson({ ok: isOk, proven: proven.length, failed });
      else printText(describeProofs(proven, failed));
      if (!isOk) process.exitCode = 1;
    });
}

async function withOwnLog<T>(work: (log: OpenLog) => Promise<T>): Promise<T> {
  const config = readLogConfig(processEnvironment());
  const { withLog } = await import('../../app/operations/open-log.ts');
  return withLog(config, work);
}
