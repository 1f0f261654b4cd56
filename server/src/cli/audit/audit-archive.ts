import { Command } from 'commander';
import { processEnvironment, readLogConfig } from '../../platform/config/config.ts';
import { printJson, printText } from '../terminal/output.ts';
import { Progress } from '../terminal/progress.ts';

export function archiveCommand(): Command {
  return new Command('archive')
    .description('Move months of the audit log that are past their retention to signed, compressed files.')
    .option('--keep', 'leave the months in the database as well')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
Writes every month before the last STRONGROOM_AUDIT_RETENTION_MONTHS to STRONGROOM_AUDIT_ARCHIVE, oldest first, reads the files
back and verifies them, records the removal in the log of each tenant, and drops the month. \`strongroom work\` must be running to
seal these records. \`audit verify\`, \`audit export\`, \`audit prove\`, \`audit exposure\` and \`audit token\` read the archive too.`,
    )
    .action(async ({ keep = false, json = false }: { keep?: boolean; json?: boolean }) => {
      const { archiveLog } = await import('../../app/operations/archive-log.ts');
      const progress = new Progress('Archiving records', !json);
      let done = 0;
      const onProgress = (records: number) => {
        done += records;
        progress.update(done, undefined);
      };
      const months = await archiveLog(readLogConfig(processEnvironment()), { drops: !keep, onProgress });
      progress.end();
      if (json) {
        printJson(months.map(({ isDropped, ...month }) => ({ ...month, dropped: isDropped })));
        return;
      }
      for (const { month, files, records, bytes, isDropped } of months) {
        const end = isDropped ? 'It is no longer in the database.' : 'It is still in the database.';
        printText(`${month}: ${records} records in ${files} files of ${bytes} bytes, verified. ${end}`);
      }
      if (months.length === 0) printText('No month is past its retention.');
    });
}
