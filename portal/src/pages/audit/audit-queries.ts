import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, type Schemas, unwrap } from '../../api/client';
import { type AuditSearch, filterNames, readExclusions, showsViews } from './audit-search';
import { toInterval, toTimeRange } from './audit-range';
import { pickSearch } from '../../search-text';

export type LogRecord = Schemas['Log'];

const pageSize = 50;

/** Returns the API parameters for the state of the page. */
export function toLogQuery(search: AuditSearch) {
  const items = readExclusions(search).map(({ name, value }) => `${name}:${value}`);
  const excluded = [...items, ...(showsViews(search) ? [] : ['member_views'])];
  return {
    ...pickSearch(search, filterNames),
    ...(excluded.length === 0 ? {} : { exclude: excluded.join(',') }),
    ...toTimeRange(search),
  };
}

export function recordsQuery(search: AuditSearch) {
  const query = {
    ...toLogQuery(search),
    size: pageSize,
    ...(search.start === undefined ? {} : { start: search.start }),
  };
  return queryOptions({
    queryKey: ['logs', query],
    queryFn: () => unwrap(api.GET('/logs', { params: { query } })),
    placeholderData: keepPreviousData,
  });
}

/** Loads counts. Counters know neither single entities and requests nor what is left out, so these are dropped. */
export function countsQuery(search: AuditSearch, by: 'outcome' | 'transform') {
  const { entity_id: _entity, request_id: _request, exclude: _exclude, ...query } = toLogQuery(search);
  return queryOptions({
    queryKey: ['log-counts', query, by],
    queryFn: () =>
      unwrap(api.GET('/logs/counts', { params: { query: { ...query, by, interval: toInterval(query) } } })),
    placeholderData: keepPreviousData,
  });
}

/**
 * Loads the values that the filters leave. As long as nothing is filtered, page views of members are counted as well,
 * because only then the vault can use its counters, which are exact however long the log is.
 */
export function facetsQuery(search: AuditSearch) {
  const { exclude, ...filters } = toLogQuery(search);
  const isFiltered = filterNames.some((name) => search[name] !== undefined) || readExclusions(search).length > 0;
  const query = isFiltered && exclude !== undefined ? { ...filters, exclude } : filters;
  return queryOptions({
    queryKey: ['log-facets', query],
    queryFn: () => unwrap(api.GET('/logs/facets', { params: { query } })),
    placeholderData: keepPreviousData,
  });
}

/** Loads the record that an address names, by requesting the millisecond in which it was created. */
export function recordQuery(id: string, createdAt: string) {
  const start = new Date(createdAt);
  const query = {
    start_date: start.toISOString(),
    end_date: new Date(start.getTime() + 1).toISOString(),
    size: 100,
  };
  return queryOptions({
    queryKey: ['log', id],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => {
      const { data } = await unwrap(api.GET('/logs', { params: { query } }));
      return data.find((record) => record.id === id) ?? null;
    },
  });
}
