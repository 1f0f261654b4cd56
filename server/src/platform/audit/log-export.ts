import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { stat, truncate } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { AuditRecord } from './audit-record.ts';
import { parseCheckpointJson, toCheckpointJson } from './checkpoint.ts';
import type { LogReader } from './log-reader.ts';
import type { LogSection } from './log-verifier.ts';

/**
 * An export is lines of JSON: first who signs, then for each checkpoint its records and the checkpoint itself. Tenants may
 * take turns; within one the order is that of the tree. It ends behind a checkpoint, so it can be continued.
 */
type ExportLine =
  | { readonly kind: 'export'; readonly version: 1; readonly public_key: string }
  | ({ readonly kind: 'record' } & AuditRecord)
  | ({ readonly kind: 'checkpoint'; readonly frontier: string; readonly dropped?: true } & ReturnType<
      typeof toCheckpointJson
    >);

export interface ExportReport {
  readonly records: number;
  readonly checkpoints: number;
}

/** Writes what is sealed and not yet in the file; a file that a crash left half written is continued. */
export async function writeExport(options: {
  readonly path: string;
  readonly reader: LogReader;
  readonly publicKey: Buffer;
  readonly tenantIds: readonly string[];
  readonly onProgress: (report: ExportReport) => void;
}): Promise<ExportReport> {
  const resumed = await findEnd(options.path);
  if (resumed.bytes > 0) await truncate(options.path, resumed.bytes);
  const file = createWriteStream(options.path, { flags: 'a', mode: 0o600 });
  const write = async (line: ExportLine) => {
    if (!file.write(`${JSON.stringify(line)}\n`)) await once(file, 'drain');
  };
  let report: ExportReport = { records: 0, checkpoints: 0 };
  try {
    if (resumed.bytes === 0)
      await write({ kind: 'export', version: 1, public_key: options.publicKey.toString('base64') });
    for (const tenantId of options.tenantIds) {
      for await (const { checkpoint, records } of options.reader.sections(
        tenantId,
        resumed.numbers.get(tenantId) ?? 0,
      )) {
        const kept = records === 'dropped' ? [] : records;
        for (const record of kept) await write({ kind: 'record', ...record });
        await write({
          kind: 'checkpoint',
          ...toCheckpointJson(checkpoint),
          frontier: checkpoint.frontier.toString('base64'),
          ...(records === 'dropped' ? { dropped: true } : {}),
        });
        report = { records: report.records + kept.length, checkpoints: report.checkpoints + 1 };
        options.onProgress(report);
      }
    }
    return report;
  } finally {
    file.end();
    await once(file, 'close');
  }
}

/** How much of a file is whole, and which checkpoint of each tenant comes last in it. */
async function findEnd(path: string): Promise<{ bytes: number; numbers: Map<string, number> }> {
  const numbers = new Map<string, number>();
  const size = await stat(path)
    .then((file) => file.size)
    .catch(() => 0);
  let bytes = 0;
  let position = 0;
  for await (const line of linesOf(path)) {
    position += Buffer.byteLength(line) + 1;
    const parsed = parseLine(line);
    // A last line without its end may have lost more than that.
    if (parsed === undefined || position > size) break;
    if (parsed.kind === 'record') continue;
    bytes = position;
    if (parsed.kind === 'checkpoint') numbers.set(parsed.tenant_id, parsed.number);
  }
  return { bytes, numbers };
}

export class NotAnExportError extends Error {
  constructor(path: string, reason: string) {
    super(`${path} ${reason}. Make it with \`strongroom audit export\`.`);
    this.name = 'NotAnExportError';
  }
}

/** The key that a file says it was signed with: worth as much as the file itself. */
export async function readExportKey(path: string): Promise<Buffer> {
  for await (const line of linesOf(path)) {
    const first = parseLine(line);
    if (first?.kind === 'export') return Buffer.from(first.public_key, 'base64');
    break;
  }
  throw new NotAnExportError(path, 'is not an export of an audit log');
}

/** The checkpoints of a file with their records; what stands behind the last checkpoint is not part of it. */
export async function* readExport(path: string): AsyncGenerator<LogSection> {
  let records: AuditRecord[] = [];
  let lineNumber = 0;
  for await (const line of linesOf(path)) {
    lineNumber += 1;
    const parsed = parseLine(line);
    if (parsed === undefined) throw new NotAnExportError(path, `has a line ${lineNumber} that cannot be read`);
    if (parsed.kind === 'record') {
      const { kind: _, ...record } = parsed;
      records.push(record);
    } else if (parsed.kind === 'checkpoint') {
      const checkpoint = parseCheckpointJson(parsed);
      if (checkpoint === undefined) throw new NotAnExportError(path, `has a line ${lineNumber} that cannot be read`);
      const frontier = Buffer.from(parsed.frontier, 'base64');
      const isDropped = parsed.dropped === true && records.length === 0;
      yield { checkpoint: { ...checkpoint, frontier }, records: isDropped ? 'dropped' : records };
      records = [];
    }
  }
}

async function* linesOf(path: string): AsyncGenerator<string> {
  const file = createReadStream(path, 'utf8');
  try {
    yield* createInterface({ input: file, crlfDelay: Number.POSITIVE_INFINITY });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  } finally {
    file.destroy();
  }
}

function parseLine(line: string): ExportLine | undefined {
  try {
    const parsed = JSON.parse(line) as ExportLine;
    return ['export', 'record', 'checkpoint'].includes(parsed.kind) ? parsed : undefined;
  } catch {
    return undefined;
  }
}
