import { AsyncLocalStorage } from 'node:async_hooks';
import { RecordedSpan } from './recorded-span.ts';
import { type SpanAttributes, spanKinds, type SpanName } from '../telemetry/span-attributes.ts';
import type { SpanExporter } from './span-exporter.ts';
import type { TraceSampler } from './trace-sampler.ts';
import { endWith, type Span, type TraceCounts, type Tracer, type TraceStart } from '../telemetry/tracer.ts';

/** Records the traces that the sampler selects. The current span is found through the asynchronous context. */
export class RecordingTracer implements Tracer {
  readonly isOn = true;
  readonly #sampler: TraceSampler;
  readonly #exporter: SpanExporter;
  readonly #underWay = new AsyncLocalStorage<RecordedSpan | undefined>();

  constructor(parts: { readonly sampler: TraceSampler; readonly exporter: SpanExporter }) {
    this.#sampler = parts.sampler;
    this.#exporter = parts.exporter;
  }

  get counts(): TraceCounts {
    return { ...this.#exporter.counts, limited: this.#sampler.limitedCount };
  }

  start(start: TraceStart): Span | undefined {
    const { parent } = start;
    const id = parent?.traceId ?? start.id ?? crypto.randomUUID();
    if (!this.#sampler.takes(id, parent)) return undefined;
    const traceId = id.replaceAll('-', '').toLowerCase();
    return RecordedSpan.root(start, traceId, (span) => this.#exporter.add(span));
  }

  begin(name: SpanName, attributes: SpanAttributes = {}): Span | undefined {
    return this.#underWay.getStore()?.child(name, spanKinds[name], attributes);
  }

  within<T>(span: Span | undefined, work: () => T): T {
    const recorded = span instanceof RecordedSpan ? span : undefined;
    // Running in a separate context has a cost, and nearly all requests do not need one.
    return this.#underWay.getStore() === recorded ? work() : this.#underWay.run(recorded, work);
  }

  span<T>(name: SpanName, attributes: SpanAttributes, work: (span: Span | undefined) => Promise<T>): Promise<T> {
    const span = this.begin(name, attributes);
    if (span === undefined) return work(undefined);
    return endWith(
      span,
      this.within(span, () => work(span)),
    );
  }

  close(): Promise<void> {
    return this.#exporter.close();
  }
}
