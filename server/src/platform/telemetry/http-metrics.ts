import type { ErrorCode } from '../../core/errors/domain-error.ts';
import type { Metrics } from './metrics.ts';

/**
 * Codes that are counted from 0, so that the first occurrence is visible as an increase. `deploy/monitoring/rules`
 * alerts on small numbers of these.
 */
const watchedCodes: readonly ErrorCode[] = ['internal-error', 'unauthenticated', 'forbidden'];

export interface HttpMetrics {
  /** Records a request. `code` is the code of the problem in the response, if there is one. */
  observe(request: { method: string; route: string; status: number; seconds: number; code: string | undefined }): void;
}

export function createHttpMetrics(metrics: Metrics): HttpMetrics {
  const requests = metrics.addHistogram(
    'strongroom_http_request_seconds',
    'Time from the first byte of a request to the last byte of its response.',
    {
      labelNames: ['method', 'route', 'status'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    },
  );
  const problems = metrics.addCounter(
    'strongroom_http_problems_total',
    'Responses that describe a problem, by its code. Denied attempts are forbidden and unauthenticated.',
    ['code'],
  );
  for (const code of watchedCodes) problems.inc({ code }, 0);
  return {
    observe({ method, route, status, seconds, code }) {
      requests.observe({ method, route, status: String(status) }, seconds);
      if (code !== undefined) problems.inc({ code }, 1);
    },
  };
}
