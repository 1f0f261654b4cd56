import type { SpanAttributes, SpanName } from './span-attributes.ts';

/** A part of a trace, from its beginning to its end. */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  set(attributes: SpanAttributes): void;
  /** Points to a span of this or another trace that has to do with it. */
  link(other: Span): void;
  /** If it failed: with what was thrown, where that tells more than its attributes. Safe to call more than once. */
  end(failure?: { readonly thrown?: unknown }): void;
}

/** Where a trace of somebody else goes on here, as W3C Trace Context tells it. */
export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  readonly isSampled: boolean;
}

export interface TraceStart {
  readonly kind: 'request' | 'job';
  /** Called if it is sampled. */
  readonly describe: () => { readonly name: string; readonly attributes: SpanAttributes };
  readonly parent?: TraceParent | undefined;
  /** A UUID that is the id of the trace, if it has no parent. Drawn at random by default. */
  readonly id?: string | undefined;
}

export interface TraceCounts {
  readonly sent: number;
  /** Spans for which the queue had no room. */
  readonly dropped: number;
  /** Spans that the collector did not take. */
  readonly failed: number;
  /** Traces that were not begun because there had been enough in that second. */
  readonly limited: number;
}

/** Shows how long the parts of a request take. Whoever does one of them wraps it here; nothing else is known of traces. */
export interface Tracer {
  readonly isOn: boolean;
  readonly counts: TraceCounts;
  /** Undefined if this one is not sampled: then nothing of it is recorded. */
  start(start: TraceStart): Span | undefined;
  /** A part of what is under way; undefined if that is not traced. */
  begin(name: SpanName, attributes?: SpanAttributes): Span | undefined;
  /** Runs work whose parts belong to this span; to no trace if it is undefined. */
  within<T>(span: Span | undefined, work: () => T): T;
  /** Runs work as a part of what is under way. */
  span<T>(name: SpanName, attributes: SpanAttributes, work: (span: Span | undefined) => Promise<T>): Promise<T>;
  /** Sends what is left, within a limit. */
  close(): Promise<void>;
}

/** Without a collector: calls the work, and does nothing else. */
export const noTracer: Tracer = {
  isOn: false,
  counts: { sent: 0, dropped: 0, failed: 0, limited: 0 },
  start: () => undefined,
  begin: () => undefined,
  within: (_span, work) => work(),
  span: (_name, _attributes, work) => work(undefined),
  close: async () => undefined,
};

/** Ends the span together with the work, and with its failure. */
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
