import { queryOptions } from '@tanstack/react-query';
import { applicationsQuery, listApplications, searchedMax } from '../../api/applications';
import { api, type Schemas, unwrap } from '../../api/client';

const day = 86_400_000;
export const daysShown = 30;

/** Returns the start of the first day that is shown. */
function firstDay(now = Date.now()): string {
  return new Date(Math.floor(now / day) * day - (daysShown - 1) * day).toISOString();
}

/** Loads the records of each day by a field. */
function countsBy(by: 'outcome' | 'transform') {
  return queryOptions({
    queryKey: ['overview-counts', by],
    queryFn: () =>
      unwrap(api.GET('/logs/counts', { params: { query: { by, interval: 'day', start_date: firstDay() } } })),
  });
}

export const outcomesQuery = countsBy('outcome');
export const sightsQuery = countsBy('transform');

/** Loads the newest records in which plaintext was seen. */
export const revealsQuery = queryOptions({
  queryKey: ['overview-reveals'],
  queryFn: () =>
    unwrap(api.GET('/logs', { params: { query: { transform: 'reveal', start_date: firstDay(), size: 8 } } })),
});

/** Loads the most frequent values of every field in one request. */
export const facetsQuery = queryOptions({
  queryKey: ['overview-facets'],
  queryFn: () => unwrap(api.GET('/logs/facets', { params: { query: { start_date: firstDay(), limit: 50 } } })),
});

export function valuesOf({ fields }: Schemas['LogFacets'], name: string): readonly Schemas['LogValueCount'][] {
  return fields.find(({ field }) => field === name)?.values ?? [];
}

/**
 * Loads the newest applications and the last page, which contains the oldest ones. That is enough to find the oldest
 * keys.
 */
export const oldAndNewQuery = queryOptions({
  queryKey: ['applications', 'oldest'],
  queryFn: async ({ client }) => {
    const newest = await client.ensureQueryData(applicationsQuery);
    if (newest.length < searchedMax) return newest;
    const { pagination } = await listApplications(1, undefined);
    return [...newest, ...(await listApplications(pagination.total_pages, undefined)).data];
  },
});

/** Loads the background jobs that failed at every attempt. */
export const failedJobsQuery = queryOptions({
  queryKey: ['failed-jobs'],
  queryFn: () => unwrap(api.GET('/tenants/self/failed-jobs')),
});
