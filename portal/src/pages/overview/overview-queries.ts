import { queryOptions } from '@tanstack/react-query';
import { api, unwrap } from '../../api/client';

const day = 86_400_000;
export const daysShown = 30;

/** The beginning of the first day that is shown. */
function firstDay(now = Date.now()): string {
  return new Date(Math.floor(now / day) * day - (daysShown - 1) * day).toISOString();
}

function countsBy(by: 'outcome' | 'actor_id' | 'operation' | 'transform') {
  return queryOptions({
    queryKey: ['overview-counts', by],
    queryFn: () =>
      unwrap(api.GET('/logs/counts', { params: { query: { by, interval: 'day', start_date: firstDay() } } })),
  });
}

export const outcomesQuery = countsBy('outcome');
export const actorsQuery = countsBy('actor_id');
export const operationsQuery = countsBy('operation');
export const sightsQuery = countsBy('transform');

export const usageQuery = queryOptions({
  queryKey: ['usage'],
  queryFn: () => unwrap(api.GET('/tenants/self/reports/usage')),
});

export const sealQuery = queryOptions({
  queryKey: ['log-seal'],
  queryFn: () => unwrap(api.GET('/logs/seal')),
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
