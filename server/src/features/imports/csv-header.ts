import { isUtf8 } from 'node:buffer';
import type { FileHandle } from 'node:fs/promises';
import { CsvError, parseCsvRecord } from '../../core/csv/csv-record.ts';
import { readRecords } from '../../platform/files/record-reader.ts';
import { csvDelimiter } from './record-preparer.ts';

const headerBytesMax = 64 * 1024;

export interface CsvHeader {
  readonly columns: readonly string[];
  readonly end: { readonly offset: number; readonly lines: number };
}

/** Reads the column names from the header line of a CSV file. */
export async function readCsvHeader(file: FileHandle): Promise<CsvHeader> {
  const reading = { offset: 0, linesBefore: 0, hasQuotes: true, batchRecordsMax: 1, batchBytesMax: headerBytesMax };
  for await (const { bytes, records } of readRecords(file, { ...reading, recordBytesMax: headerBytesMax })) {
    const [header] = records;
    const text =
      header?.range === undefined ? undefined : Buffer.from(bytes.subarray(header.range.from, header.range.to));
    if (header === undefined || text === undefined || !isUtf8(text)) break;
    return {
      columns: parseHeader(text.toString('utf8')),
      end: { offset: header.end, lines: header.line + header.lineCount - 1 },
    };
  }
  throw new Error('The file does not start with a header line.');
}

function parseHeader(text: string): string[] {
  try {
    return parseCsvRecord(text, csvDelimiter);
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new Error(`The header line cannot be read. ${error.message}`, { cause: error });
  }
}
