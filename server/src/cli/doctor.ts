import { Command } from 'commander';
import type { Finding } from '../app/doctor/examination.ts';
import {
  hasArchive,
  processEnvironment,
  readAdminAddress,
  readElementsConfig,
  readLogConfig,
  readLogStreams,
  readRedisUrl,
  readVaultConfig,
} from '../platform/config/config.ts';
import { printJson, printText } from './terminal/output.ts';

export function doctorCommand(): Command {
  return new Command('doctor')
    .description(
      'Check settings, secrets, database, roles, schema, keys, card fields, streams, Redis and limits, and explain how to fix problems.',
    )
    .option('--json', 'print the findings as JSON')
    .addHelpText(
      'after',
      '\nChanges nothing. Exits with status 1 if it finds a problem; warnings, and what cannot be seen (?), do not count.',
    )
    .action(async (options: { json?: boolean }) => {
      const config = readVaultConfig(processEnvironment());
      const elements = readElementsConfig(processEnvironment());
      const streams = readLogStreams(processEnvironment());
      const { examine } = await import('../app/doctor/examination.ts');
      const { examineSecretFiles } = await import('../app/doctor/secret-file-check.ts');
      const secretFiles = examineSecretFiles(processEnvironment());
      const findings = [...(secretFiles === undefined ? [] : [secretFiles]), ...(await examine(config))];
      const redisUrl = readRedisUrl(processEnvironment());
      if (redisUrl !== undefined) {
        const { examineRedis } = await import('../app/doctor/redis-check.ts');
        findings.push(await examineRedis(redisUrl));
      }
      const { examineRejections } = await import('../app/doctor/rejection-check.ts');
      const rejections = await examineRejections(readAdminAddress(processEnvironment(), 'serve'));
      if (rejections !== undefined) findings.push(rejections);
      if (elements !== undefined) {
        const { examineElements } = await import('../app/doctor/elements-examination.ts');
        findings.push(await examineElements(elements.url));
      }
      if (streams.length > 0) {
        const { examineStreams } = await import('../app/doctor/stream-examination.ts');
        findings.push(await examineStreams(config, streams));
      }
      if (hasArchive(processEnvironment())) {
        const { examineArchive } = await import('../app/doctor/archive-examination.ts');
        findings.push(...(await examineArchive(readLogConfig(processEnvironment()))));
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
