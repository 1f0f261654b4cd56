import { Command } from 'commander';
import { examine } from '../app/examination.ts';
import { processEnvironment, readVaultConfig } from '../platform/config/config.ts';
import { printJson, printText } from './output.ts';

export function doctorCommand(): Command {
  return new Command('doctor')
    .description('Check settings, database, roles, schema and keys, and say what to do about what is wrong.')
    .option('--json', 'print the findings as JSON')
    .addHelpText('after', '\nChanges nothing. Exits with 1 when something is wrong.')
    .action(async (options: { json?: boolean }) => {
      const findings = await examine(readVaultConfig(processEnvironment()));
      const isOk = findings.every((finding) => finding.isOk);
      if (options.json === true)
        printJson({ ok: isOk, findings: findings.map(({ name, isOk: ok, detail }) => ({ name, ok, detail })) });
      else for (const { name, isOk: ok, detail } of findings) printText(`${ok ? 'ok  ' : 'FAIL'} ${name}: ${detail}`);
      if (!isOk) process.exitCode = 1;
    });
}
