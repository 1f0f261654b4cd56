import { Counter, Gauge, Histogram, collectDefaultMetrics, Registry } from 'prom-client';

/** A name of a label and one of its few values. */
type Labels = Readonly<Record<string, string>>;
/** Values by the value of their one label. */
export type Readings = ReadonlyMap<string, number>;

/** Prometheus metrics of this process. Labels are bounded: routes and status codes, a capped number of applications, never other ids, addresses or containers. */
export class Metrics {
  readonly #registry = new Registry();

  constructor() {
    collectDefaultMetrics({ register: this.#registry });
  }

  /** A value that is read when it is scraped. */
  addGauge(name: string, help: string, read: () => number): void {
    const gauge: Gauge = new Gauge({ name, help, registers: [this.#registry], collect: () => gauge.set(read()) });
  }

  /** One that is not always known: it has no series while it is undefined. */
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

  /** Several, by a label. What cannot be read right now is left out, and the other metrics are rendered. */
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

  /** The caller keeps the values of labels few. */
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

  /** The caller keeps the values of labels few. */
  addCounter(
    name: string,
    help: string,
    labelNames: readonly string[],
  ): { inc(labels: Record<string, string>, by: number): void } {
    return new Counter({ name, help, labelNames: [...labelNames], registers: [this.#registry] });
  }

  /** Counts that are kept elsewhere and read when they are scraped. */
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
