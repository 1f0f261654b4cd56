import { parseContainer } from '../../../core/access/container.ts';
import { DomainError } from '../../../core/errors/domain-error.ts';
import type { SearchQuery } from '../../../core/search/search-query.ts';
import { isLongerThan, isStorable } from '../../../core/text/code-points.ts';
import { tokenLimits, tokenQueryLimits } from '../../../core/token-limits.ts';

/** A query string as the router parses it. Repeated parameters are arrays. */
export type QueryParameters = Readonly<Record<string, string | readonly string[] | undefined>>;

const { filterValuesMax, filterMetadataKeysMax } = tokenQueryLimits;
const { containerLengthMax, metadataKeyLengthMax, metadataValueLengthMax } = tokenLimits;
const subtreeMark = '*';
/** The maximum lengths of values that a token can have. */
const lengthMaxOf = {
  id: tokenLimits.idLengthMax,
  type: tokenLimits.typeLengthMax,
  fingerprint: tokenLimits.fingerprintLengthMax,
  container: containerLengthMax + subtreeMark.length,
} as const;

/** Returns the filters of a list as one query, or undefined if there are none. */
export function toListQuery(parameters: QueryParameters): SearchQuery | undefined {
  const filters = [
    anyOf('id', toValues(parameters, 'id')),
    anyOf('type', toValues(parameters, 'type')),
    anyOf('fingerprint', toValues(parameters, 'fingerprint')),
    oneOf(toValues(parameters, 'container').map(toContainerFilter)),
    ...metadataFilters(parameters),
  ];
  const given = filters.filter((filter) => filter !== undefined);
  return given.length <= 1 ? given[0] : { kind: 'and', operands: given };
}

function anyOf(field: 'id' | 'type' | 'fingerprint', values: readonly string[]): SearchQuery | undefined {
  return oneOf(values.map((value) => ({ kind: 'term', field, value })));
}

function oneOf(queries: readonly SearchQuery[]): SearchQuery | undefined {
  return queries.length <= 1 ? queries[0] : { kind: 'or', operands: queries };
}

/** Matches one container, or everything below it if it ends with `*`, like a search does. */
function toContainerFilter(text: string): SearchQuery {
  const isSubtree = text.endsWith(`/${subtreeMark}`);
  const path = parseContainer(isSubtree ? text.slice(0, -1) : text);
  if (path === undefined) {
    throw invalidQuery(
      'container',
      `must be a path such as /pci/high/ of at most ${containerLengthMax} characters, or /pci/* for a subtree`,
    );
  }
  return { kind: 'container', path, isSubtree };
}

function toValues(parameters: QueryParameters, name: keyof typeof lengthMaxOf): readonly string[] {
  const values = toArray(parameters[name]);
  const lengthMax = lengthMaxOf[name];
  const isValid = (value: string) => value !== '' && !isLongerThan(value, lengthMax) && isStorable(value);
  if (values.length > filterValuesMax || !values.every(isValid)) {
    throw invalidQuery(name, `must be at most ${filterValuesMax} values of 1 to ${lengthMax} characters`);
  }
  return [...new Set(values)];
}

/**
 * `metadata.k=v`, `metadata[k]=v` and `metadata={"k":"v"}` are equivalent. If a key is repeated, the first value is
 * used.
 */
function metadataFilters(parameters: QueryParameters): SearchQuery[] {
  const pairs = new Map<string, string>();
  const note = (key: string, value: string) => {
    const isKey = key !== '' && !isLongerThan(key, metadataKeyLengthMax);
    if (!isKey || isLongerThan(value, metadataValueLengthMax) || !isStorable(key + value)) {
      throw invalidQuery(
        'metadata',
        `must have keys of 1 to ${metadataKeyLengthMax} and values of at most ${metadataValueLengthMax} characters`,
      );
    }
    // Keys that differ only in case are the same key.
    const known = [...pairs.keys()].some((other) => other.toLowerCase() === key.toLowerCase());
    if (!known) pairs.set(key, value);
  };
  for (const [name, given] of Object.entries(parameters)) {
    const values = toArray(given);
    const [value = ''] = values;
    if (name.startsWith('metadata.')) note(name.slice('metadata.'.length), value);
    else if (name.startsWith('metadata[') && name.endsWith(']')) note(name.slice('metadata['.length, -1), value);
    else if (name === 'metadata')
      for (const [key, text] of values.flatMap((map) => Object.entries(parseObject(map)))) note(key, text);
  }
  if (pairs.size > filterMetadataKeysMax) {
    throw invalidQuery('metadata', `must name at most ${filterMetadataKeysMax} keys`);
  }
  return [...pairs].map(([key, value]) => ({ kind: 'metadata', key, value: value.toLowerCase() }));
}

function parseObject(text: string): Readonly<Record<string, string>> {
  try {
    const value: unknown = JSON.parse(text);
    if (isTextMap(value)) return value;
  } catch {
    // Text that is not JSON is rejected below, together with JSON that is not a map of strings.
  }
  throw invalidQuery('metadata', 'must be a JSON object of strings');
}

function toArray(value: string | readonly string[] | undefined): readonly string[] {
  if (value === undefined) return [];
  return typeof value === 'string' ? [value] : value;
}

function invalidQuery(name: string, message: string): DomainError {
  return new DomainError('validation-failed', 'The request did not pass validation.', {
    fields: { [name]: [message] },
  });
}

function isTextMap(value: unknown): value is Record<string, string> {
  const isMap = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isMap && Object.values(value).every((member) => typeof member === 'string');
}
