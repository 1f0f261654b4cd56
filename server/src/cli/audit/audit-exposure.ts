import type { FileHandle } from 'node:fs/promises';
import { Command, InvalidArgumentError, Option } from 'commander';
import { parseIsoTimestamp } from '../../core/expiry/timestamp.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import type { ExposureService, ReportedPeriod } from '../../features/exposure/index.ts';
import type { Facet, Log, LogFilter } from '../../features/logs/index.ts';
import type { RecordKey } from '../../platform/audit/verify/log-reader.ts';
import { processEnvironment, readLogConfig } from '../../platform/config/config.ts';
import { parseAddress, parseTenant, parseUuid } from '../terminal/arguments.ts';
import { describeExposure, describeKept, describeViewers } from './exposure-text.ts';
import { printJson, printText } from '../terminal/output.ts';
import { Progress } from '../terminal/progress.ts';

interface PeriodFlags {
  readonly tenant: TenantId;
  readonly from?: Date;
  readonly to?: Date;
  readonly prove?: string;
  readonly json?: boolean;
}

interface SubjectFlags extends PeriodFlags {
  readonly key?: string;
  readonly application?: string;
  readonly session?: string;
  readonly user?: string;
  readonly address?: string;
}

const limits = { recordsMax: 100_000_000, linesMax: 1_000_000 };
/** The maximum number of proofs. One of about two kilobytes is written for each record. */
const proofsMax = 200_000;
const proofHelp = `
With --prove, the proof of every record behind the report is written to a file; \`strongroom audit check\` verifies it without the
vault. Proofs show that each record is in the sealed log. That none is missing, \`strongroom audit verify\` shows.`;

export function exposureCommand(): Command {
  const names = ['key', 'application', 'session', 'user', 'address'];
  const subject = (name: string, what: string) =>
    new Option(`--${name} <${name === 'address' ? 'address' : 'id'}>`, what).conflicts(
      names.filter((other) => other !== name),
    );
  const command = new Command('exposure')
    .description('Say what a key, application, session, user or address has seen, and what it tried.')
    .addOption(subject('key', 'key of an application').argParser(parseUuid))
    .addOption(subject('application', 'application, with all its keys').argParser(parseUuid))
    .addOption(subject('session', 'session').argParser(parseUuid))
    .addOption(subject('user', 'user who is signed in at the portal').argParser(parseUuid))
    .addOption(subject('address', 'address of a client, whichever key it used').argParser(parseAddress));
  return withPeriod(command).action(async (flags: SubjectFlags) => {
    const { toExposureView, toSubjectFilter } = await import('../../features/exposure/index.ts');
    const filter = toSubjectFilter(toSubject(flags), { from: flags.from, to: flags.to });
    await report(flags, filter, async (exposure, reading) => {
      const found = await exposure.findExposure(filter, reading);
      return { json: toExposureView(found, reading), text: describeExposure(found) };
    });
  });
}

export function tokenCommand(): Command {
  const command = new Command('token')
    .description('Say who has seen a token, and how.')
    .argument('<id>', 'id of the token, which may have been deleted since');
  return withPeriod(command).action(async (id: string, flags: PeriodFlags) => {
    const { toTokenFilter, toViewersView } = await import('../../features/exposure/index.ts');
    const filter = toTokenFilter(id, { from: flags.from, to: flags.to });
    await report(flags, filter, async (exposure, reading) => {
      const found = await exposure.findViewers(filter, reading);
      return { json: toViewersView(found, reading), text: describeViewers(found) };
    });
  });
}

function withPeriod(command: Command): Command {
  return command
    .requiredOption('--tenant <id>', 'tenant of the log', parseTenant)
    .option('--from <time>', 'records from then on, as ISO 8601', parseTime)
    .option('--to <time>', 'records before then, as ISO 8601', parseTime)
    .option('--prove <file>', 'write the proof of every record to this new file')
    .option('--json', 'print the report as JSON')
    .addHelpText('after', proofHelp);
}

type Find = (
  exposure: ExposureService,
  reading: { tenantId: TenantId; limits: typeof limits; onRecord: (log: Log) => void } & ReportedPeriod,
) => Promise<{ readonly json: object; readonly text: string }>;

/** Reads the log, writes proofs if requested, and prints the report. Reading the log is itself recorded. */
async function report(flags: PeriodFlags, filter: LogFilter, find: Find): Promise<void> {
  const { prove, from, to } = flags;
  if (from !== undefined && to !== undefined && from >= to) throw new Error('--from must be before --to.');
  if (prove === undefined) return reportWith(undefined, flags, filter, find);
  const { withNewFile } = await import('../../platform/files/new-file.ts');
  return withNewFile(prove, 'the proofs', (file) => reportWith(file, flags, filter, find));
}

async function reportWith(
  proofFile: FileHandle | undefined,
  { tenant, prove, json }: PeriodFlags,
  filter: LogFilter,
  find: Find,
): Promise<void> {
  const config = readLogConfig(processEnvironment());
  const { withLog } = await import('../../app/operations/open-log.ts');
  const { ExposureService: Service } = await import('../../features/exposure/index.ts');
  const { ArchivedLogs, LogService } = await import('../../features/logs/index.ts');
  await withLog(config, async ({ core, ...log }) => {
    if (!(await log.reader.hasLog(tenant))) throw new Error('There is no log of this tenant.');
    const logs = new LogService(core);
    const whole = log.archived === undefined ? logs : new ArchivedLogs(logs, log.archived);
    const progress = new Progress('Reading records', json !== true);
    const keys: RecordKey[] = [];
    let read = 0;
    const onRecord = ({ entityType, entityId, createdAt, id }: Log) => {
      read += 1;
      if (read % 1_000 === 0) progress.update(read, undefined);
      if (proofFile === undefined) return;
      if (keys.length >= proofsMax)
        throw new Error(`More than ${proofsMax} records cannot be proven at once. Narrow --from and --to.`);
      keys.push({ entityType, entityId, createdAt, id });
    };
    const keptSince = await whole.findKeptSince({ tenantId: tenant });
    const reported = { from: filter.from, to: filter.to, keptSince };
    const found = await find(new Service(whole), { tenantId: tenant, limits, onRecord, ...reported });
    await logs.recordReadByOperator(tenant, filter);
    if (proofFile !== undefined) {
      const { writeProofs } = await import('../../platform/audit/verify/proof-file.ts');
      await writeProofs(proofFile, log, { tenantId: tenant, keys });
    }
    progress.end();
    const signer = log.publicKey.toString('base64');
    const proofs = prove === undefined ? {} : { proofs: { file: prove, records: keys.length, public_key: signer } };
    if (json === true) printJson({ ...found.json, ...proofs });
    else printText(`${found.text}\n\n${describeKept(reported)}`);
    if (json !== true && prove !== undefined)
      printText(`\nProofs of ${keys.length} records are in ${prove}. Check them with:
  strongroom audit check ${prove} --public-key ${signer}`);
  });
}

function toSubject({ key, application, session, user, address }: SubjectFlags): Facet {
  const actor = application ?? session ?? user;
  if (key !== undefined) return { field: 'key_id', value: key };
  if (actor !== undefined) return { field: 'actor_id', value: actor };
  if (address !== undefined) return { field: 'source_address', value: address };
  throw new Error('Name one of --key, --application, --session, --user and --address.');
}

function parseTime(text: string): Date {
  const timestamp = parseIsoTimestamp(text);
  if (timestamp === undefined)
    throw new InvalidArgumentError('It must be an ISO 8601 date or date-time such as 2026-05-04T12:00:00Z.');
  return timestamp.instant;
}
