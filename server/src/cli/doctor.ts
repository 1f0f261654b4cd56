import { Command } from 'commander';
import type { Finding } from '../app/doctor/examination.ts';
import type { TenantId } from '../core/identity/ids.ts';
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
import { toEvidenceOrder } from './evidence/evidence-order.ts';
import { toTextOfFact } from './evidence/fact-text.ts';
import { parseTenant } from './terminal/arguments.ts';
import { printJson, printText } from './terminal/output.ts';

export function doctorCommand(): Command {
  return new Command('doctor')
    .description(
      'Check settings, secrets, database, roles, schema, keys, card fields, streams, Redis and limits, and explain how to fix problems.',
    )
    .option('--pci', 'list instead what to do before an assessment of PCI DSS')
    .option('--tenant <id>', 'with --pci: only this tenant', parseTenant)
    .option('--json', 'print the findings as JSON')
    .addHelpText(
      'after',
      `
Changes nothing. Exits with status 1 if it finds a problem; warnings, and what cannot be seen (?), do not count.
With --pci it prints the facts of \`strongroom evidence\` over the last year, first those that fail. That it has read them is
recorded in the log of each tenant.`,
    )
    .action(async (options: DoctorFlags, command: Command) => {
      if (options.pci === true) return listForAssessment(options, command.version());
      if (options.tenant !== undefined) throw new Error('--tenant needs --pci.');
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

interface DoctorFlags {
  readonly pci?: boolean;
  readonly tenant?: TenantId;
  readonly json?: boolean;
}

const byUrgency = ['fails', 'attention', 'holds'];

/** Prints the facts of an evidence bundle as a list of things to do. */
async function listForAssessment({ tenant, json }: DoctorFlags, version: string | undefined): Promise<void> {
  const asked = { version, isText: json !== true, ...(tenant === undefined ? {} : { tenant }) };
  const { order, end } = toEvidenceOrder(asked);
  const { readFacts } = await import('../app/evidence/take-evidence.ts');
  const { toFactView } = await import('../app/evidence/bundle/evidence-view.ts');
  const facts = (await readFacts(order))
    .map(toFactView)
    .toSorted((a, b) => byUrgency.indexOf(a.verdict) - byUrgency.indexOf(b.verdict));
  end();
  const isOk = facts.every(({ verdict }) => verdict !== 'fails');
  if (json === true) printJson({ ok: isOk, facts });
  else for (const fact of facts) printText(toTextOfFact(fact));
  if (!isOk) process.exitCode = 1;
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
