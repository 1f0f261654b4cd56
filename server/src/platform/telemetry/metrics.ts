import { Counter, Gauge, Histogram, collectDefaultMetrics, Registry } from 'prom-client';

/** Label names with their values. Each label has only a few possible values. */
type Labels = Readonly<Record<string, string>>;
/** The values of a metric with one label, by label value. */
export type Readings = ReadonlyMap<string, number>;

/**
 * Prometheus metrics of this process. Labels are bounded: routes, status codes and a capped number of applications, but
 * never other ids, addresses or containers.
 */
export class Metrics {
  readonly #registry = new Registry();

  constructor() {
    collectDefaultMetrics({ register: this.#registry });
  }

  /** Adds a gauge that is read when it is scraped. */
  addGauge(name: string, help: string, read: () => number): void {
    const gauge: Gauge = new Gauge({ name, help, registers: [this.#registry], collect: () => gauge.set(read()) });
  }

  /** Adds a gauge that is not always known. It has no series while its value is undefined. */
  addReading(name: string, help: string, read: () => number | undefined): void {
    const gauge: Gauge = new Gauge({
      name,
      help,
      registers: [this.#registry],
      collect: () => {
        const reading = read();
        if (reading === undefined) gauge.remove();
        else gauge.set(reading);
      },
    });
  }

  /**
   * Adds a gauge for each value of a label. If the gauges cannot be read, they are omitted, and the other metrics are
   * still rendered.
   */
  addGauges(name: string, help: string, label: string, read: () => Readings | Promise<Readings>): void {
    const gauge: Gauge = new Gauge({
      name,
      help,
      labelNames: [label],
      registers: [this.#registry],
      collect: async () => {
        gauge.reset();
        const readings = await readOrNone(read);
        for (const [value, reading] of readings) gauge.set({ [label]: value }, reading);
      },
    });
  }

  /** Adds a histogram. The caller must keep the number of label values small. */
  addHistogram(
    name: string,
    help: string,
    { buckets, labelNames = [] }: { readonly buckets: readonly number[]; readonly labelNames?: readonly string[] },
  ): { observe(labels: Labels, value: number): void } {
    return new Histogram({
      name,
      help,
      buckets: [...buckets],
      labelNames: [...labelNames],
      registers: [this.#registry],
    });
  }

  /** Adds a counter. The caller must keep the number of label values small. */
  addCounter(
    name: string,
    help: string,
    labelNames: readonly string[],
  ): { inc(labels: Record<string, string>, by: number): void } {
    return new Counter({ name, help, labelNames: [...labelNames], registers: [this.#registry] });
  }

  /** Adds counts that are kept elsewhere and read when they are scraped. */
  addCounts(
    name: string,
    help: string,
    labelNames: readonly string[],
    read: () => Iterable<{ readonly labels: Record<string, string>; readonly count: number }>,
  ): void {
    const counter: Counter = new Counter({
      name,
      help,
      labelNames: [...labelNames],
      registers: [this.#registry],
      collect: () => {
        counter.reset();
        for (const { labels, count } of read()) counter.inc(labels, count);
      },
    });
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  render(): Promise<string> {
    return this.#registry.metrics();
  }
}

async function readOrNone(read: () => Readings | Promise<Readings>): Promise<Readings> {
  try {
    return await read();
  } catch {
    return new Map();
  }
}
