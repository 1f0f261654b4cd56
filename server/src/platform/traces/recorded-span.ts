import { failureName } from './failure-name.ts';
import type { SpanAttributes } from '../telemetry/span-attributes.ts';
import type { Span, TraceParent, TraceStart } from '../telemetry/tracer.ts';

/**
 * The maximum number of spans in a trace. A list of tokens or a loop could create any number of them, and the limit on
 * traces alone would not bound their cost.
 */
const spansMax = 64;

export type SpanKind = 'request' | 'job' | 'part' | 'call';

/** The state that all spans of a trace share. */
export interface TraceRun {
  readonly traceId: string;
  /**
   * The offset that turns the monotonic clock into the time of day, in milliseconds. It is fixed per trace, because the
   * time of day may be changed in the meantime.
   */
  readonly clockOffsetMs: number;
  readonly keep: (span: RecordedSpan) => void;
  spanCount: number;
  leftOut: number;
  /** True after the response to the request. Later background work is not part of the trace. */
  isOver: boolean;
}

export class RecordedSpan implements Span {
  readonly name: string;
  readonly kind: SpanKind;
  readonly spanId = drawSpanId();
  readonly parentSpanId: string | undefined;
  readonly startedMs = performance.now();
  readonly links: Pick<Span, 'traceId' | 'spanId'>[] = [];
  readonly run: TraceRun;
  readonly #isRoot: boolean;
  endedMs: number | undefined;
  attributes: SpanAttributes;
  hasFailed = false;

  static root(start: TraceStart, traceId: string, keep: TraceRun['keep']): RecordedSpan {
    const clockOffsetMs = Date.now() - performance.now();
    const run = { traceId, clockOffsetMs, keep, spanCount: 1, leftOut: 0, isOver: false };
    const { kind, parent } = start;
    return new RecordedSpan(run, { ...start.describe(), kind, parent, isRoot: true });
  }

  private constructor(
    run: TraceRun,
    parts: {
      readonly name: string;
      readonly kind: SpanKind;
      readonly attributes: SpanAttributes;
      readonly parent: Pick<TraceParent, 'spanId'> | undefined;
      readonly isRoot: boolean;
    },
  ) {
    this.run = run;
    this.name = parts.name;
    this.kind = parts.kind;
    this.attributes = parts.attributes;
    this.parentSpanId = parts.parent?.spanId;
    this.#isRoot = parts.isRoot;
  }

  get traceId(): string {
    return this.run.traceId;
  }

  /** True if the parent is a span of the caller. */
  get isParentRemote(): boolean {
    return this.#isRoot && this.parentSpanId !== undefined;
  }

  /**
   * Returns a child span, or undefined if the trace has ended or has reached the maximum number of spans. If a span is
   * nested in one of the same name, only the outer one is recorded.
   */
  child(name: string, kind: SpanKind, attributes: SpanAttributes): RecordedSpan | undefined {
    if (this.run.isOver || this.name === name) return undefined;
    if (this.run.spanCount >= spansMax) {
      this.run.leftOut += 1;
      return undefined;
    }
    this.run.spanCount += 1;
    return new RecordedSpan(this.run, { name, kind, attributes, parent: this, isRoot: false });
  }

  set(attributes: SpanAttributes): void {
    this.attributes = { ...this.attributes, ...attributes };
  }

  link({ traceId, spanId }: Span): void {
    this.links.push({ traceId, spanId });
  }

  end(failure?: { readonly thrown?: unknown }): void {
    if (this.endedMs !== undefined) return;
    this.endedMs = performance.now();
    this.hasFailed = failure !== undefined;
    if (failure?.thrown !== undefined) this.set({ 'error.type': failureName(failure.thrown) });
    if (this.#isRoot) {
      this.run.isOver = true;
      if (this.run.leftOut > 0) this.set({ 'strongroom.spans_left_out': this.run.leftOut });
    }
    this.run.keep(this);
  }
}

/** The part of span ids that distinguishes this process from others in a trace. */
const processPart = crypto.randomUUID().slice(0, 8);
let spansDrawn = 0;

/**
 * Returns an id that is unique within a trace, which is all that is needed. Generating a random id took longer than
 * everything else about a span.
 */
function drawSpanId(): string {
  spansDrawn = (spansDrawn % 0xff_ff_ff_ff) + 1;
  return `${processPart}${spansDrawn.toString(16).padStart(8, '0')}`;
}
