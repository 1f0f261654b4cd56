import { pickSearch } from '../../search-text';

/** Filters of the log. Each has the name of its API parameter. */
export const filterNames = [
  'actor_id',
  'actor_type',
  'entity_type',
  'entity_id',
  'operation',
  'outcome',
  'transform',
  'key_id',
  'source_address',
  'destination',
  'request_id',
] as const;
export type FilterName = (typeof filterNames)[number];

/** Fields whose values can be left out. */
const excludable = filterNames.filter((name) => name !== 'entity_id' && name !== 'request_id');

/**
 * The state of the page, which is stored in its address: filters, what is left out, whether page views of members are
 * shown, time range, page, and the open record.
 */
const names = [...filterNames, 'not', 'views', 'range', 'from', 'to', 'start', 'record', 'record_at'] as const;
export type AuditSearch = { readonly [Name in (typeof names)[number]]?: string | undefined };

const timeNames = ['from', 'to', 'record_at'] as const;

/**
 * Parses the address. Invalid times are set to undefined instead of omitted, because the router copies every parameter
 * that is missing here from the address.
 */
export function parseAuditSearch(search: Record<string, unknown>): AuditSearch {
  const picked = pickSearch(search, names);
  const damaged = timeNames.filter((name) => name in picked && Number.isNaN(Date.parse(picked[name] ?? '')));
  return { ...picked, ...Object.fromEntries(damaged.map((name) => [name, undefined])) };
}

/** A value that is left out. */
export interface Exclusion {
  readonly name: FilterName;
  readonly value: string;
}

/** Reads what is left out, such as `operation:read,actor_type:user`. */
export function readExclusions({ not }: AuditSearch): Exclusion[] {
  return (not ?? '').split(',').flatMap((item) => {
    const at = item.indexOf(':');
    const name = excludable.find((known) => known === item.slice(0, Math.max(at, 0)));
    return name === undefined || at === item.length - 1 ? [] : [{ name, value: item.slice(at + 1) }];
  });
}

/** Returns the change that leaves out exactly these values. */
export function writeExclusions(exclusions: readonly Exclusion[]): Pick<AuditSearch, 'not'> {
  const items = exclusions.map(({ name, value }) => `${name}:${value}`);
  return { not: items.length === 0 ? undefined : items.join(',') };
}

/** Returns the change that leaves out one more value. It cannot be required at the same time. */
export function leaveOut(search: AuditSearch, exclusion: Exclusion): AuditSearch {
  return { ...writeExclusions([...readExclusions(search), exclusion]), [exclusion.name]: undefined };
}

/** Returns true if what members saw by merely looking at pages is part of the list. By default it is not. */
export function showsViews({ views }: AuditSearch): boolean {
  return views === 'shown';
}
