import { Command } from 'commander';
import type { Finding } from '../app/examination.ts';
import { processEnvironment, readElementsConfig, readVaultConfig } from '../platform/config/config.ts';
import { printJson, printText } from './output.ts';

export function doctorCommand(): Command {
  return new Command('doctor')
    .description('Check settings, database, roles, schema, keys and card fields, and explain how to fix any problems.')
    .option('--json', 'print the findings as JSON')
    .addHelpText('after', '\nChanges nothing. Exits with status 1 if it finds a problem; warnings do not count.')
    .action(async (options: { json?: boolean }) => {
      const config = readVaultConfig(processEnvironment());
      const elements = readElementsConfig(processEnvironment());
      const { examine } = await import('../app/examination.ts');
      const findings = await examine(config);
      if (elements !== undefined) {
        const { examineElements } = await import('../app/elements-examination.ts');
        findings.push(await examineElements(elements.url));
      }
      const isOk = findings.every((finding) => finding.isOk);
      if (options.json === true) printJson({ ok: isOk, findings: findings.map(toJson) });
      else for (const finding of findings) printText(`${markOf(finding)} ${finding.name}: ${finding.detail}`);
      if (!isOk) process.exitCode = 1;
    });
}

function markOf({ isOk, isWarning }: Finding): string {
  if (!isOk) return 'FAIL';
  return isWarning === true ? 'warn' : 'ok  ';
}

function toJson({ name, isOk, isWarning, detail }: Finding) {
  return { name, ok: isOk, ...(isWarning === true ? { warning: true } : {}), detail };
}
