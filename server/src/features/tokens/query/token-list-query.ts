import { parseContainer } from '../../../core/access/container.ts';
import { DomainError } from '../../../core/errors/domain-error.ts';
import type { SearchQuery } from '../../../core/search/search-query.ts';
import { isStorable } from '../model/storable-text.ts';

/** A query string as the router gives it: repeated parameters are arrays. */
export type QueryParameters = Readonly<Record<string, string | readonly string[] | undefined>>;

const valuesMax = 100;
const metadataMax = 10;
const keyLengthMax = 200;
const valueLengthMax = 500;

/** The filters of a list as one query; undefined where there are none. */
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

/** As in a search: one container, or with a star everything in it. */
function toContainerFilter(text: string): SearchQuery {
  const isSubtree = text.endsWith('/*');
  const path = parseContainer(isSubtree ? text.slice(0, -1) : text);
  if (path === undefined) throw invalidQuery('container', 'must be a path such as /pci/high/, or /pci/* for a subtree');
  return { kind: 'container', path, isSubtree };
}

function toValues(parameters: QueryParameters, name: string): readonly string[] {
  const values = toArray(parameters[name]);
  if (values.length > valuesMax || values.some((value) => value === '' || value.length > 400 || !isStorable(value))) {
    throw invalidQuery(name, `must have at most ${valuesMax} values, none of them empty`);
  }
  return [...new Set(values)];
}

/** `metadata.k=v`, `metadata[k]=v` and `metadata={"k":"v"}` mean the same; of repeated keys the first counts. */
function metadataFilters(parameters: QueryParameters): SearchQuery[] {
  const pairs = new Map<string, string>();
  const note = (key: string, value: string) => {
    if (key === '' || key.length > keyLengthMax || value.length > valueLengthMax || !isStorable(key + value)) {
      throw invalidQuery('metadata', 'must have keys and values within the length limits of metadata');
    }
    // Keys that differ in case only are one key.
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
  if (pairs.size > metadataMax) throw invalidQuery('metadata', `must have at most ${metadataMax} keys`);
  return [...pairs].map(([key, value]) => ({ kind: 'metadata', key, value: value.toLowerCase() }));
}

function parseObject(text: string): Readonly<Record<string, string>> {
  try {
    const value: unknown = JSON.parse(text);
    const isMap = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (isMap && Object.values(value).every((member) => typeof member === 'string'))
      return value as Record<string, string>;
  } catch {
    // Not JSON: refused below with everything else that is no map of strings.
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
