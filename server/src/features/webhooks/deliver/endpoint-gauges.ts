import type { Database } from '../../../platform/database/database.ts';
import type { Metrics } from '../../../platform/telemetry/metrics.ts';
import { scrapeTimeoutMs, withinScrape } from '../../../platform/waiting/within-scrape.ts';
import { type EndpointLag, listEndpointLag } from './endpoint-lag-store.ts';

/** Reports how far endpoints are behind. All workers report the same values. */
export function addEndpointGauges(metrics: Metrics, sealerDatabase: Database): void {
  let last: { readonly at: number; readonly lag: Promise<EndpointLag[]> } | undefined;
  // The gauges of one scrape share a reading.
  const read = async (valueOf: (lag: EndpointLag) => number) => {
    if (last === undefined || performance.now() - last.at > scrapeTimeoutMs) {
      last = { at: performance.now(), lag: withinScrape(listEndpointLag(sealerDatabase)) };
    }
    return new Map((await last.lag).map((each) => [each.state, valueOf(each)]));
  };
  metrics.addGauges('strongroom_webhook_endpoints', 'Enabled webhooks, by state.', 'state', () =>
    read(({ endpoints }) => endpoints),
  );
  metrics.addGauges(
    'strongroom_webhook_lag_seconds',
    'Age of the oldest sealed record that a webhook has not yet processed, by state.',
    'state',
    () => read(({ seconds }) => seconds),
  );
}
