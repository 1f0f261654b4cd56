import type { ReportedPeriod, SubjectExposure, TokenViewers } from '../../features/exposure/index.ts';
import { toTable } from '../terminal/text-table.ts';

/** Describes what a subject has seen, in human-readable form. */
export function describeExposure(exposure: SubjectExposure): string {
  const { tokens, calls, searches, misses, denied, sessions, handedOut, others } = exposure;
  const seen = (transform: string) => tokens.filter((line) => line.transform === transform).length;
  return [
    `${exposure.records} records: ${seen('reveal')} tokens in plaintext, ${seen('mask')} masked, ${seen('redact')} redacted.`,
    ...section(
      'Tokens',
      ['VIEW', 'TOKEN', 'TYPE', 'BY', 'SENT TO', ...times],
      tokens.map((line) => [
        views[line.transform],
        line.tokenId,
        line.tokenType,
        list([...line.operations, ...line.ways]),
        list(line.destinations),
        ...toTimes(line),
      ]),
    ),
    ...section(
      'Calls to destinations',
      ['DESTINATION', 'OUTCOME', 'WITH PLAINTEXT', ...times],
      calls.map((line) => [line.destination ?? '', line.outcome, String(line.sent), ...toTimes(line)]),
    ),
    ...section(
      'Searches',
      ['FIELDS', 'FOUND', 'WITHOUT A HIT', 'MISSING', ...times],
      searches.map((line) => [
        list(line.fields),
        ...[line.found, line.missed, line.missing].map(String),
        ...toTimes(line),
      ]),
    ),
    ...section(
      'Misses',
      ['WHAT', 'MISSING', ...times],
      misses.map((line) => [`${line.entityType} ${line.operation}`, String(line.missing), ...toTimes(line)]),
    ),
    ...section(
      'Denied',
      ['WHAT', ...times],
      denied.map((line) => [`${line.entityType} ${line.operation}`, ...toTimes(line)]),
    ),
    ...section(
      'Sessions authorized (ask about each with --session)',
      ['SESSION', ...times],
      sessions.map((line) => [line.sessionId, ...toTimes(line)]),
    ),
    ...section(
      'Access given to others (ask about each application with --application)',
      ['WHAT', 'ID', ...times],
      handedOut.map((line) => [`${line.entityType} ${line.operation}`, line.entityId, ...toTimes(line)]),
    ),
    ...section(
      'Everything else',
      ['WHAT', 'OUTCOME', ...times],
      others.map((line) => [`${line.entityType} ${line.operation}`, line.outcome, ...toTimes(line)]),
    ),
  ].join('\n');
}

/** Describes who has seen a token, in human-readable form. */
export function describeViewers({ records, viewers, others }: TokenViewers): string {
  return [
    `${records} records.`,
    ...section(
      'Seen by',
      ['VIEW', 'WHO', 'KEY', 'BY', 'SENT TO', 'FROM', ...times],
      viewers.map((line) => [
        views[line.transform],
        whoIs(line),
        line.keyId ?? '-',
        list([...line.operations, ...line.ways, ...[...line.exports].map((id) => `export ${id}`)]),
        list(line.destinations),
        list(line.sourceAddresses),
        ...toTimes(line),
      ]),
    ),
    ...section(
      'Not shown to',
      ['WHO', 'KEY', 'DID', 'OUTCOME', ...times],
      others.map((line) => [whoIs(line), line.keyId ?? '-', line.operation, line.outcome, ...toTimes(line)]),
    ),
  ].join('\n');
}

/**
 * Describes how far back records are kept. An empty report proves nothing about a period whose records have been
 * deleted.
 */
export function describeKept({ from, keptSince }: ReportedPeriod): string {
  const since = keptSince.toISOString().slice(0, 10);
  return from !== undefined && from >= keptSince
    ? `The log is kept since ${since}, before the time asked for.`
    : `The log is kept since ${since}; what happened before is not in this report.`;
}

const views = { reveal: 'plaintext', mask: 'masked', redact: 'redacted' } as const;
const times = ['TIMES', 'FIRST', 'LAST'];

function toTimes({ count, firstAt, lastAt }: { count: number; firstAt: Date; lastAt: Date }): string[] {
  return [String(count), firstAt.toISOString(), lastAt.toISOString()];
}

function whoIs({ actorType, actorId }: { readonly actorType: string | null; readonly actorId: string | null }): string {
  return [actorType ?? 'unknown', ...(actorId === null ? [] : [actorId])].join(' ');
}

function list(values: Iterable<string>): string {
  return [...values].join(',') || '-';
}

function section(title: string, header: readonly string[], rows: readonly string[][]): string[] {
  return rows.length === 0 ? [] : ['', title, toTable(header, rows)];
}
