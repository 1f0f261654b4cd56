import { parseContainer } from '../access/container.ts';
import { parseIsoTimestamp } from '../expiry/timestamp.ts';
import { Sensitive } from '../identity/sensitive.ts';
import { invalidQuery } from './invalid-query.ts';
import type { FieldToken, QueryRange, QueryText } from './query-token.ts';
import type { ContainerQuery, MetadataQuery, RangeField, RangeQuery, SearchQuery, TermField } from './search-query.ts';

const termFields: ReadonlySet<string> = new Set<TermField>(['id', 'type', 'fingerprint', 'created_by', 'modified_by']);
const rangeFields: ReadonlySet<string> = new Set<RangeField>(['created_at', 'modified_at']);
const metadataPrefix = 'metadata.';
const knownFields =
  'id, type, data, fingerprint, created_by, modified_by, created_at, modified_at, container, metadata.<key>';

/** Converts a `field:value` pair to a query. */
export function toFieldQuery({ name, value, offset }: FieldToken): SearchQuery {
  if (isRangeField(name)) return value.kind === 'range' ? toRange(name, value) : toMoment(name, value);
  if (value.kind === 'range') throw invalidQuery('Only created_at and modified_at support ranges', value.offset);
  if (name === 'container') return toContainer(value);

  if (value.hasWildcard) throw invalidQuery('Only container supports wildcards; quote the value', value.offset);
  if (name === 'data') return { kind: 'data', value: new Sensitive(value.text) };
  if (isTermField(name)) return { kind: 'term', field: name, value: value.text };
  if (name.startsWith(metadataPrefix)) return toMetadata(name.slice(metadataPrefix.length), value, offset);
  throw invalidQuery(`Expected one of the fields ${knownFields}`, offset);
}

function isTermField(name: string): name is TermField {
  return termFields.has(name);
}

function isRangeField(name: string): name is RangeField {
  return rangeFields.has(name);
}

function toMetadata(key: string, { text }: QueryText, offset: number): MetadataQuery {
  if (key === '') throw invalidQuery('Expected a metadata key', offset);
  return { kind: 'metadata', key, value: text.toLowerCase() };
}

function toContainer({ text, offset }: QueryText): ContainerQuery {
  const isSubtree = text.endsWith('/*');
  const path = parseContainer(isSubtree ? text.slice(0, -1) : text);
  if (path === undefined) {
    throw invalidQuery('Expected a container path such as "/pci/high/", or "/pci/*" for a subtree', offset);
  }
  return { kind: 'container', path, isSubtree };
}

/**
 * Converts a time to a range that spans its smallest written unit: `2024-01-01` is that day, `2024-01-01T10:00Z` that
 * minute.
 */
function toMoment(field: RangeField, text: QueryText): RangeQuery {
  const { start, end } = toInterval(text);
  return { kind: 'range', field, from: start, before: end };
}

/** Converts a range. The brackets determine whether the times at the ends, each with its whole unit, are included. */
function toRange(field: RangeField, { from, to, includesFrom, includesTo }: QueryRange): RangeQuery {
  const first = isOpenEnd(from) ? undefined : toInterval(from);
  const last = isOpenEnd(to) ? undefined : toInterval(to);
  return {
    kind: 'range',
    field,
    ...(first && { from: includesFrom ? first.start : first.end }),
    ...(last && { before: includesTo ? last.end : last.start }),
  };
}

function isOpenEnd({ text, hasWildcard }: QueryText): boolean {
  return hasWildcard && text === '*';
}

const millisecondsOf = { day: 86_400_000, minute: 60_000, second: 1_000, millisecond: 1 } as const;

function toInterval({ text, offset }: QueryText): { start: Date; end: Date } {
  const timestamp = parseIsoTimestamp(text);
  if (timestamp === undefined) throw invalidQuery('Expected an ISO 8601 date or date-time', offset);
  const start = timestamp.instant;
  return { start, end: new Date(start.getTime() + millisecondsOf[timestamp.unit]) };
}
