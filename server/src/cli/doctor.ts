import { Command } from 'commander';
import type { Finding } from '../app/doctor/examination.ts';
import { processEnvironment, readElementsConfig, readVaultConfig } from '../platform/config/config.ts';
import { printJson, printText } from './terminal/output.ts';

export function doctorCommand(): Command {
  return new Command('doctor')
    .description(
      'Check settings, database, roles, schema, keys, card fields and what PostgreSQL runs on, and explain how to fix any problems.',
    )
    .option('--json', 'print the findings as JSON')
    .addHelpText(
      'after',
      '\nChanges nothing. Exits with status 1 if it finds a problem; warnings, and what cannot be seen (?), do not count.',
    )
    .action(async (options: { json?: boolean }) => {
      const config = readVaultConfig(processEnvironment());
      const elements = readElementsConfig(processEnvironment());
      const { examine } = await import('../app/doctor/examination.ts');
      const findings = await examine(config);
      if (elements !== undefined) {
        const { examineElements } = await import('../app/doctor/elements-examination.ts');
        findings.push(await examineElements(elements.url));
      }
      const isOk = findings.every((finding) => finding.isOk);
      if (options.json === true) printJson({ ok: isOk, findings: findings.map(toJson) });
      else for (const finding of findings) printText(toLine(finding));
      if (!isOk) process.exitCode = 1;
    });
}

function toLine(finding: Finding): string {
  const { name, detail, promise, remedy } = finding;
  const parts = [
    detail,
    ...(promise === undefined ? [] : [`No longer holds: ${promise}`]),
    ...(remedy === undefined ? [] : [`To do: ${remedy}`]),
  ];
  return `${markOf(finding)} ${name}: ${parts.join('. ')}`;
}

function markOf({ isOk, isWarning, isUnknown }: Finding): string {
  if (!isOk) return 'FAIL';
  if (isUnknown === true) return '?   ';
  return isWarning === true ? 'warn' : 'ok  ';
}

function toJson({ name, isOk, isWarning, isUnknown, detail, promise, remedy }: Finding) {
  return {
    name,
    ok: isOk,
    ...(isWarning === true ? { warning: true } : {}),
    ...(isUnknown === true ? { unknown: true } : {}),
    detail,
    ...(promise === undefined ? {} : { promise }),
    ...(remedy === undefined ? {} : { remedy }),
  };
}
