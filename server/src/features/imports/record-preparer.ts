import { isUtf8 } from 'node:buffer';
import { CsvError, parseCsvRecord } from '../../core/csv/csv-record.ts';
import { DomainError } from '../../core/errors/domain-error.ts';
import { jsonDepthMax } from '../../core/json/json-limits.ts';
import { JsonSource } from '../../core/json/json-source.ts';
import { isJsonObject, type JsonObject } from '../../core/json/json-value.ts';
import { parseJson } from '../../core/json/parse-json.ts';
import { inMebibytes } from '../../core/text/byte-size.ts';
import { tokenLimits } from '../../core/token-limits.ts';
import type { FileRecord } from '../../platform/files/record-reader.ts';
import type { InsertRow, TokenIntake } from '../tokens/index.ts';
import { type FieldMap, fromCells, fromObject } from './field-map.ts';
import type { FieldTarget } from './field-target.ts';
import { type ImportReject, toReject } from './import-reject.ts';

export const csvDelimiter = ',';
export const recordBytesMax = tokenLimits.sizeBytesMax;

/** The settings for reading a file. They are plain data, so that they can be passed to another thread. */
export interface FileShape {
  readonly map: FieldMap;
  /** The target of each column. Undefined for JSON lines. */
  readonly columns: readonly (FieldTarget | undefined)[] | undefined;
}

/** The result of preparing a record: a row to insert, a reason to reject it, or nothing if the line is empty. */
export type PreparedRecord =
  | { readonly kind: 'row'; readonly row: InsertRow; readonly hasLostCvc: boolean }
  | { readonly kind: 'reject'; readonly reject: ImportReject }
  | { readonly kind: 'empty' };

/** Converts records of a file into encrypted rows. An error in one record does not affect the others. */
export class RecordPreparer {
  readonly #intake: TokenIntake;
  readonly #shape: FileShape;

  constructor(intake: TokenIntake, shape: FileShape) {
    this.#intake = intake;
    this.#shape = shape;
  }

  async prepare(bytes: Buffer, record: FileRecord, now: Date): Promise<PreparedRecord> {
    try {
      const text = readText(bytes, record);
      if (text.trim() === '') return { kind: 'empty' };
      const source = new JsonSource();
      const body = this.#toBody(text, source, record.line);
      if (body === undefined) return { kind: 'empty' };
      return { kind: 'row', ...(await this.#intake.prepare(body, source, now)) };
    } catch (error) {
      if (error instanceof CsvError) {
        return { kind: 'reject', reject: { code: 'malformed-csv', reason: error.message } };
      }
      if (error instanceof DomainError) return { kind: 'reject', reject: toReject(error) };
      throw error;
    }
  }

  /** Parses a record. Returns undefined for the first line of an export, which is a header and not a token. */
  #toBody(text: string, source: JsonSource, line: number): object | undefined {
    const { map, columns } = this.#shape;
    if (columns === undefined) {
      const value = parseJson(text, { depthMax: jsonDepthMax, source });
      if (!isJsonObject(value)) throw new DomainError('malformed-json', 'A line must be an object.');
      return line === 1 && isExportHead(value) ? undefined : fromObject(value, source, map);
    }
    const cells = parseCsvRecord(text, csvDelimiter);
    if (cells.length !== columns.length) {
      throw new CsvError(`The record has ${cells.length} fields, the header has ${columns.length}.`);
    }
    return fromCells(cells, columns, map);
  }
}

/**
 * Returns true for the header of an export. It must have no other members, because otherwise a token could be hidden in
 * it.
 */
function isExportHead(value: JsonObject): boolean {
  return Object.hasOwn(value, 'strongroom_export') && Object.keys(value).length === 1;
}

function readText(bytes: Buffer, { range }: FileRecord): string {
  if (range === undefined) {
    throw new DomainError('body-too-large', `A record has at most ${inMebibytes(recordBytesMax)}.`);
  }
  const part = bytes.subarray(range.from, range.to);
  if (!isUtf8(part)) throw new DomainError('malformed-request', 'The record is not valid UTF-8.');
  return part.toString('utf8');
}
