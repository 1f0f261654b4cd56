import type { Metrics } from '../telemetry/metrics.ts';
import type { Tracer } from '../telemetry/tracer.ts';

export function addTraceMetrics(metrics: Metrics, tracer: Tracer): void {
  metrics.addCounts(
    'strongroom_trace_spans_total',
    'Spans of traces: sent, dropped because too many were waiting, or failed, which the collector did not take.',
    ['outcome'],
    () => {
      const { sent, dropped, failed } = tracer.counts;
      return Object.entries({ sent, dropped, failed }).map(([outcome, count]) => ({ labels: { outcome }, count }));
    },
  );
  metrics.addCounts(
    'strongroom_traces_limited_total',
    'Traces that were not recorded because there had been enough in that second.',
    [],
    () => [{ labels: {}, count: tracer.counts.limited }],
  );
}
