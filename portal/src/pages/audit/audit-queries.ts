import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, type Schemas, unwrap } from '../../api/client';
import { type AuditSearch, filterNames } from './audit-search';
import { toInterval, toTimeRange } from './audit-range';
import { pickSearch } from '../../search-text';

export type LogRecord = Schemas['Log'];

const pageSize = 50;

/** Returns the API parameters for the state of the page. */
export function toLogQuery(search: AuditSearch) {
  return { ...pickSearch(search, filterNames), ...toTimeRange(search) };
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

/** Loads counts. Counters are not kept per entity or per request, so these two filters are dropped. */
export function countsQuery(search: AuditSearch) {
  const { entity_id: _entity, request_id: _request, ...query } = toLogQuery(search);
  return queryOptions({
    queryKey: ['log-counts', query],
    queryFn: () =>
      unwrap(api.GET('/logs/counts', { params: { query: { ...query, by: 'outcome', interval: toInterval(query) } } })),
    placeholderData: keepPreviousData,
  });
}

export function facetsQuery(search: AuditSearch) {
  const { start_date, end_date, entity_type } = toLogQuery(search);
  const query = {
    start_date,
    ...(end_date === undefined ? {} : { end_date }),
    ...(entity_type === undefined ? {} : { entity_type }),
  };
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
