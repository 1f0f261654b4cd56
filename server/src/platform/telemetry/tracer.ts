import type { SpanAttributes, SpanName } from './span-attributes.ts';

/** A part of a trace, from its beginning to its end. */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  set(attributes: SpanAttributes): void;
  /** Links to a related span of this or another trace. */
  link(other: Span): void;
  /**
   * Ends the span. `failure` is given if the work failed. It includes the thrown value if that says more than the
   * attributes. Safe to call more than once.
   */
  end(failure?: { readonly thrown?: unknown }): void;
}

/** The caller's trace that is continued here, in terms of W3C Trace Context. */
export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  readonly isSampled: boolean;
}

export interface TraceStart {
  readonly kind: 'request' | 'job';
  /** Returns name and attributes. It is called only if the trace is sampled. */
  readonly describe: () => { readonly name: string; readonly attributes: SpanAttributes };
  readonly parent?: TraceParent | undefined;
  /** A UUID that becomes the id of the trace if it has no parent. By default, the id is random. */
  readonly id?: string | undefined;
}

export interface TraceCounts {
  readonly sent: number;
  /** Spans for which the queue had no room. */
  readonly dropped: number;
  /** Spans that the collector did not accept. */
  readonly failed: number;
  /** Traces that were not started because the limit per second was reached. */
  readonly limited: number;
}

/**
 * Measures how long the parts of a request take. Code wraps such a part with this interface, and does not need to know
 * anything else about traces.
 */
export interface Tracer {
  readonly isOn: boolean;
  readonly counts: TraceCounts;
  /** Starts a trace. Returns undefined if it is not sampled. In that case, nothing is recorded. */
  start(start: TraceStart): Span | undefined;
  /** Begins a span within the current one. Returns undefined if the current span is not traced. */
  begin(name: SpanName, attributes?: SpanAttributes): Span | undefined;
  /** Runs work whose spans are children of the given one. If `span` is undefined, they belong to no trace. */
  within<T>(span: Span | undefined, work: () => T): T;
  /** Runs work in a span within the current one. */
  span<T>(name: SpanName, attributes: SpanAttributes, work: (span: Span | undefined) => Promise<T>): Promise<T>;
  /** Sends the remaining spans, within a time limit. */
  close(): Promise<void>;
}

/** The tracer without a collector. It runs the work and does nothing else. */
export const noTracer: Tracer = {
  isOn: false,
  counts: { sent: 0, dropped: 0, failed: 0, limited: 0 },
  start: () => undefined,
  begin: () => undefined,
  within: (_span, work) => work(),
  span: (_name, _attributes, work) => work(undefined),
  close: async () => undefined,
};

/** Ends the span when the work ends, and records its failure. */
export function endWith<T>(span: Span | undefined, work: Promise<T>): Promise<T> {
  if (span === undefined) return work;
  return work.then(
    (result) => {
      span.end();
      return result;
    },
    (thrown: unknown) => {
      span.end({ thrown });
      throw thrown;
    },
  );
}
