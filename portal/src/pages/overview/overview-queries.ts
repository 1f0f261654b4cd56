import { queryOptions } from '@tanstack/react-query';
import { api, type Schemas, unwrap } from '../../api/client';

const day = 86_400_000;
export const daysShown = 30;

/** The beginning of the first day that is shown. */
function firstDay(now = Date.now()): string {
  return new Date(Math.floor(now / day) * day - (daysShown - 1) * day).toISOString();
}

export const outcomesQuery = queryOptions({
  queryKey: ['overview-counts'],
  queryFn: () =>
    unwrap(api.GET('/logs/counts', { params: { query: { by: 'outcome', interval: 'day', start_date: firstDay() } } })),
});

/** The most frequent values of every field, in one call. */
export const facetsQuery = queryOptions({
  queryKey: ['overview-facets'],
  queryFn: () => unwrap(api.GET('/logs/facets', { params: { query: { start_date: firstDay(), limit: 50 } } })),
});

export function valuesOf({ fields }: Schemas['LogFacets'], name: string): readonly Schemas['LogValueCount'][] {
  return fields.find(({ field }) => field === name)?.values ?? [];
}

export const usageQuery = queryOptions({
  queryKey: ['usage'],
  queryFn: () => unwrap(api.GET('/tenants/self/reports/usage')),
});

/** Enough to find the oldest keys; lists have the newest applications first. */
export const applicationsQuery = queryOptions({
  queryKey: ['overview-applications'],
  queryFn: async () => {
    const first = await unwrap(api.GET('/applications', { params: { query: { size: 100 } } }));
    const { total_pages: last } = first.pagination;
    if (last <= 1) return first.data;
    const oldest = await unwrap(api.GET('/applications', { params: { query: { size: 100, page: last } } }));
    return [...first.data, ...oldest.data];
  },
});
