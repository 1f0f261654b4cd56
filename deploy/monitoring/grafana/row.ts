import type { Builder } from '@grafana/grafana-foundation-sdk/cog';
import type { Panel } from '@grafana/grafana-foundation-sdk/dashboard';

export interface Row {
  readonly title: string;
  readonly panels: readonly Builder<Panel>[];
}

/** Selects the series of a metric for the chosen jobs and instances. */
export function chosen(metric: string, ...matchers: readonly string[]): string {
  return `${metric}{${['job=~"$job"', 'instance=~"$instance"', ...matchers].join(',')}}`;
}

/** Returns the query for a counter's rate per second. */
export function rate(metric: string, ...matchers: readonly string[]): string {
  return `rate(${chosen(metric, ...matchers)}[$__rate_interval])`;
}

/** Returns the query for a quantile of a histogram, optionally grouped by further labels. */
export function quantile(
  share: number,
  metric: string,
  labels: readonly string[] = [],
  ...matchers: readonly string[]
): string {
  const by = ['le', ...labels].join(', ');
  return `histogram_quantile(${share}, sum by (${by}) (${rate(`${metric}_bucket`, ...matchers)}))`;
}
