import type { Metrics } from './metrics.ts';

/** The stage that a proxy call reached. */
export type ProxyStage =
  | 'parse'
  | 'policy'
  | 'scan'
  | 'resolve'
  | 'intent'
  | 'connect'
  | 'decrypt'
  | 'exchange'
  | 'answered';

export interface ProxyMetrics {
  /** Counts a call. `reason` is from a closed list: the name of a refusal, a failure or an error. */
  countCall(stage: ProxyStage, reason: string): void;
}

export function createProxyMetrics(metrics: Metrics): ProxyMetrics {
  const calls = metrics.addCounter(
    'strongroom_proxy_calls_total',
    'Proxy calls by the stage at which they ended and the reason.',
    ['stage', 'reason'],
  );
  return { countCall: (stage, reason) => calls.inc({ stage, reason }, 1) };
}
