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

/** Where traces go, and which. */
export interface TraceConfig {
  /** Where OTLP requests are posted to, with its path. */
  readonly url: string;
  readonly protocol: 'http/json';
  /** For the collector; they may hold its credentials. */
  readonly headers: Sensitive<Readonly<Record<string, string>>>;
  readonly sampler: SamplerName;
  /** The part of all traces that a sampler by ratio takes. */
  readonly ratio: number;
  /** The most traces that a process begins in a second, whatever the sampler or a caller says. */
  readonly perSecondMax: number;
  readonly serviceName: string;
  /** What the operator wants all spans to say about this process. */
  readonly resource: Readonly<Record<string, string>>;
}
