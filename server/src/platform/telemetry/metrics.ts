import { Counter, Gauge, Histogram, collectDefaultMetrics, Registry } from 'prom-client';

export interface HttpMetrics {
  observe(request: { method: string; route: string; status: number; seconds: number }): void;
}

/** How far a proxy call got. */
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
  /** `reason` is from a closed list: the name of a refusal, a failure or an error. */
  countCall(stage: ProxyStage, reason: string): void;
}

/** Prometheus metrics of this process. Labels are bounded: routes and status codes, a capped number of applications, never other ids, addresses or containers. */
export class Metrics implements HttpMetrics, ProxyMetrics {
  readonly #registry = new Registry();
  readonly #requests: Histogram<'method' | 'route' | 'status'>;
  readonly #proxyCalls: Counter<'stage' | 'reason'>;

  constructor() {
    collectDefaultMetrics({ register: this.#registry });
    this.#requests = new Histogram({
      name: 'strongroom_http_request_seconds',
      help: 'Time from the first byte of a request to the last byte of its response.',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
      registers: [this.#registry],
    });
    this.#proxyCalls = new Counter({
      name: 'strongroom_proxy_calls_total',
      help: 'Proxy calls by the stage at which they ended and the reason.',
      labelNames: ['stage', 'reason'],
      registers: [this.#registry],
    });
  }

  countCall(stage: ProxyStage, reason: string): void {
    this.#proxyCalls.inc({ stage, reason });
  }

  observe({
    method,
    route,
    status,
    seconds,
  }: {
    method: string;
    route: string;
    status: number;
    seconds: number;
  }): void {
    this.#requests.observe({ method, route, status }, seconds);
  }

  /** A value that is read when it is scraped. */
  addGauge(name: string, help: string, read: () => number): void {
    const gauge: Gauge = new Gauge({ name, help, registers: [this.#registry], collect: () => gauge.set(read()) });
  }

  /** One value for each of a few fixed names. */
  addGauges(name: string, help: string, label: string, reads: ReadonlyMap<string, () => number>): void {
    const gauge: Gauge = new Gauge({
      name,
      help,
      labelNames: [label],
      registers: [this.#registry],
      collect: () => {
        for (const [value, read] of reads) gauge.set({ [label]: value }, read());
      },
    });
  }

  addHistogram(name: string, help: string, buckets: readonly number[]): { observe(value: number): void } {
    return new Histogram({ name, help, buckets: [...buckets], registers: [this.#registry] });
  }

  /** The caller keeps the values of labels few. */
  addCounter(
    name: string,
    help: string,
    labelNames: readonly string[],
  ): { inc(labels: Record<string, string>, by: number): void } {
    return new Counter({ name, help, labelNames: [...labelNames], registers: [this.#registry] });
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  render(): Promise<string> {
    return this.#registry.metrics();
  }
}
