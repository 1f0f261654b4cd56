import type { Sensitive } from '../../core/identity/sensitive.ts';

export const samplerNames = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;
export type SamplerName = (typeof samplerNames)[number];

/** The settings that determine which traces are sent, and to which collector. */
export interface TraceConfig {
  /** The URL to which OTLP requests are posted, including its path. */
  readonly url: string;
  readonly protocol: 'http/json';
  /** Headers for the collector. They may contain its credentials. */
  readonly headers: Sensitive<Readonly<Record<string, string>>>;
  readonly sampler: SamplerName;
  /** The fraction of all traces that a ratio sampler selects. */
  readonly ratio: number;
  /**
   * The maximum number of traces that a process starts per second, regardless of the sampler and of what a caller
   * requests.
   */
  readonly perSecondMax: number;
  readonly serviceName: string;
  /** Attributes of this process that the operator adds to all spans. */
  readonly resource: Readonly<Record<string, string>>;
}
