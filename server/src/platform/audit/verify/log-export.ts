import { createWriteStream } from 'node:fs';
import { stat, truncate } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { AuditRecord } from '../../../core/audit/record-text.ts';
import { parseCheckpointJson, toCheckpointJson } from '../seal/checkpoint.ts';
import { readLines } from '../../files/line-reader.ts';
import type { LogReader } from './log-reader.ts';
import type { LogSection } from './log-verifier.ts';

/** The version of the format that is written. No other version can be read. */
const exportVersion = 1;

/**
 * A line of an export. The first line has the public key of the signer. It is followed by the records of each
 * checkpoint and the checkpoint itself. Checkpoints of different tenants may be interleaved, but within a tenant the
 * order is that of its tree. An export ends after a checkpoint, so it can be continued.
 */
type ExportLine =
  | { readonly kind: 'export'; readonly version: number; readonly public_key: string }
  | ({ readonly kind: 'record' } & AuditRecord)
  | ({ readonly kind: 'checkpoint'; readonly frontier: string; readonly dropped?: true } & ReturnType<
      typeof toCheckpointJson
    >);

export interface ExportOptions {
  readonly path: string;
  readonly reader: LogReader;
  readonly publicKey: Buffer;
  readonly tenantIds: readonly string[];
  readonly onProgress: (report: ExportReport) => void;
}

/** The position at which a file can be continued. */
interface ExportEnd {
  readonly bytes: number;
  /** The number of each tenant's last checkpoint. */
  readonly numbers: ReadonlyMap<string, number>;
}

export interface ExportReport {
  readonly records: number;
  readonly checkpoints: number;
}

/** Writes everything that is sealed and not yet in the file. A file that a crash left incomplete is continued. */
export async function writeExport(options: ExportOptions): Promise<ExportReport> {
  const resumed = await findEnd(options.path);
  if (resumed.bytes > 0) {
    const key = await readExportKey(options.path);
    if (!key.equals(options.publicKey)) throw new NotAnExportError(options.path, 'is an export of another vault');
    await truncate(options.path, resumed.bytes);
  }
  const report = { records: 0, checkpoints: 0 };
  const lines = Readable.from(exportLines(options, resumed, report));
  await pipeline(lines, createWriteStream(options.path, { flags: resumed.bytes > 0 ? 'a' : 'w', mode: 0o600 }));
  return report;
}

async function* exportLines(
  { reader, publicKey, tenantIds, onProgress }: ExportOptions,
  resumed: ExportEnd,
  report: { records: number; checkpoints: number },
): AsyncGenerator<string> {
  const toLine = (line: ExportLine) => `${JSON.stringify(line)}\n`;
  if (resumed.bytes === 0)
    yield toLine({ kind: 'export', version: exportVersion, public_key: publicKey.toString('base64') });
  for (const tenantId of tenantIds) {
    for await (const { checkpoint, records } of reader.sections(tenantId, resumed.numbers.get(tenantId) ?? 0)) {
      const kept = records === 'dropped' ? [] : records;
      for (const record of kept) yield toLine({ kind: 'record', ...record });
      yield toLine({
        kind: 'checkpoint',
        ...toCheckpointJson(checkpoint),
        frontier: checkpoint.frontier.toString('base64'),
        ...(records === 'dropped' ? { dropped: true } : {}),
      });
      report.records += kept.length;
      report.checkpoints += 1;
      onProgress(report);
    }
  }
}

/** Returns how many bytes of a file are complete, and each tenant's last checkpoint in it. */
async function findEnd(path: string): Promise<ExportEnd> {
  const numbers = new Map<string, number>();
  const size = await stat(path)
    .then((file) => file.size)
    .catch(() => 0);
  let bytes = 0;
  let position = 0;
  for await (const line of readLines(path)) {
    position += Buffer.byteLength(line) + 1;
    const parsed = parseLine(line);
    // If the last line has no line feed, the line itself may also be incomplete.
    if (parsed === undefined || position > size) break;
    if (parsed.kind === 'record') continue;
    bytes = position;
    if (parsed.kind === 'export') requireKnownVersion(path, parsed.version);
    else numbers.set(parsed.tenant_id, parsed.number);
  }
  if (size > 0 && bytes === 0) throw new NotAnExportError(path, 'exists and is not an export of an audit log');
  return { bytes, numbers };
}

export class NotAnExportError extends Error {
  constructor(path: string, reason: string) {
    super(`${path} ${reason}. Create one with \`strongroom audit export\`.`);
    this.name = 'NotAnExportError';
  }
}

/** Rejects any other format. Otherwise such a file would look damaged or tampered with. */
function requireKnownVersion(path: string, version: unknown): void {
  if (version !== exportVersion) throw new UnknownExportError(path, version);
}

export class UnknownExportError extends Error {
  constructor(path: string, version: unknown) {
    const format = Number.isSafeInteger(version) ? `format ${String(version)}` : 'an unknown format';
    super(
      `${path} is an export in ${format}, and this version of Strongroom reads format ${exportVersion}. Use the version that wrote the file.`,
    );
    this.name = 'UnknownExportError';
  }
}

/** Returns the key that a file claims to be signed with. It is only as trustworthy as the file itself. */
export async function readExportKey(path: string): Promise<Buffer> {
  for await (const line of readLines(path)) {
    const first = parseLine(line);
    if (first?.kind !== 'export') break;
    requireKnownVersion(path, first.version);
    return Buffer.from(first.public_key, 'base64');
  }
  throw new NotAnExportError(path, 'is not an export of an audit log');
}

/** Reads the checkpoints of a file with their records. Records after the last checkpoint are not part of the export. */
export async function* readExport(path: string): AsyncGenerator<LogSection> {
  let records: AuditRecord[] = [];
  let lineNumber = 0;
  for await (const line of readLines(path)) {
    lineNumber += 1;
    const parsed = parseLine(line);
    if (parsed === undefined) throw new NotAnExportError(path, `cannot be read at line ${lineNumber}`);
    if (parsed.kind === 'export') requireKnownVersion(path, parsed.version);
    else if (parsed.kind === 'record') {
      const { kind: _, ...record } = parsed;
      records.push(record);
    } else {
      const checkpoint = parseCheckpointJson(parsed);
      if (checkpoint === undefined) throw new NotAnExportError(path, `cannot be read at line ${lineNumber}`);
      const frontier = Buffer.from(parsed.frontier, 'base64');
      const isDropped = parsed.dropped === true && records.length === 0;
      yield { checkpoint: { ...checkpoint, frontier }, records: isDropped ? 'dropped' : records };
      records = [];
    }
  }
}

function parseLine(line: string): ExportLine | undefined {
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the checkpoint reveals a changed line.
    const parsed = JSON.parse(line) as ExportLine;
    return ['export', 'record', 'checkpoint'].includes(parsed.kind) ? parsed : undefined;
  } catch {
    return undefined;
  }
}
