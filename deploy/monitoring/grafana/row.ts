import type { Builder } from '@grafana/grafana-foundation-sdk/cog';
import type { Panel } from '@grafana/grafana-foundation-sdk/dashboard';

export interface Row {
  readonly title: string;
  readonly panels: readonly Builder<Panel>[];
}

/** The series of a metric that the reader wants to see. */
export function chosen(metric: string, ...matchers: readonly string[]): string {
  return `${metric}{${['job=~"$job"', 'instance=~"$instance"', ...matchers].join(',')}}`;
}

/** How fast a counter grows, per second. */
export function rate(metric: string, ...matchers: readonly string[]): string {
  return `rate(${chosen(metric, ...matchers)}[$__rate_interval])`;
}

/** A quantile of a histogram, by further labels if there are any. */
export function quantile(
  share: number,
  metric: string,
  labels: readonly string[] = [],
  ...matchers: readonly string[]
): string {
  const by = ['le', ...labels].join(', ');
  return `histogram_quantile(${share}, sum by (${by}) (${rate(`${metric}_bucket`, ...matchers)}))`;
}
