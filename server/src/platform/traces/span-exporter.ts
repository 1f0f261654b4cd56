import { codeOf, nameOf } from '../../core/errors/thrown.ts';
import { membersOf } from '../../core/objects/members-of.ts';
import { OperatorService, type ServiceResponse } from '../outbound/operator-service.ts';
import { withinTime } from '../waiting/within-time.ts';
import type { Logger } from '../telemetry/logger.ts';
import { toOtlpRequest } from './otlp-request.ts';
import type { RecordedSpan } from './recorded-span.ts';
import type { TraceConfig } from './trace-config.ts';
import type { TraceCounts } from '../telemetry/tracer.ts';

export interface ExportPace {
  /** The number of spans that may be queued. Each uses about a kilobyte. */
  readonly queueMax: number;
  /** The number of spans per request. Serializing a full request blocks the event loop for about a millisecond. */
  readonly batchMax: number;
  readonly delayMs: number;
  readonly timeoutMs: number;
  /** The delay before the next attempt after a failure. It doubles up to `pauseMaxMs`. */
  readonly pauseMinMs: number;
  readonly pauseMaxMs: number;
  /** The time limit for sending the remaining spans when the exporter closes. */
  readonly closeMs: number;
}

export const exportPace: ExportPace = {
  queueMax: 2_048,
  batchMax: 256,
  delayMs: 1_000,
  timeoutMs: 5_000,
  pauseMinMs: 1_000,
  pauseMaxMs: 30_000,
  closeMs: 3_000,
};

/**
 * Sends spans to the collector, one request at a time. Requests to the vault never wait for it. Spans that the
 * collector does not accept are counted and dropped. While the collector is unavailable, only the spans in the queue
 * are kept.
 */
export class SpanExporter {
  readonly #service: OperatorService;
  readonly #headers: TraceConfig['headers'];
  readonly #resource: Readonly<Record<string, string>>;
  readonly #logger: Logger;
  readonly #pace: ExportPace;
  readonly #place: string;
  readonly #queue: RecordedSpan[] = [];
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #pauseMs = 0;
  #counts = { sent: 0, dropped: 0, failed: 0 };

  constructor(
    config: Pick<TraceConfig, 'url' | 'headers' | 'resource'>,
    { logger, pace = exportPace }: { readonly logger: Logger; readonly pace?: ExportPace },
  ) {
    this.#service = new OperatorService(config.url, { timeoutMs: pace.timeoutMs });
    this.#headers = config.headers;
    this.#resource = config.resource;
    this.#logger = logger;
    this.#pace = pace;
    this.#place = new URL(config.url).origin;
  }

  get counts(): Omit<TraceCounts, 'limited'> {
    return this.#counts;
  }

  add(span: RecordedSpan): void {
    const { queueMax, batchMax } = this.#pace;
    if (this.#queue.length >= queueMax) {
      this.#counts.dropped += 1;
      return;
    }
    this.#queue.push(span);
    if (this.#queue.length === batchMax && this.#pauseMs === 0) this.#sendSoon(0);
    else if (this.#timer === undefined && this.#sending === undefined) this.#sendLater();
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    const { closeMs } = this.#pace;
    await withinTime(this.#sendRest(), closeMs, 'The collector did not take the last spans in time.').catch(
      () => undefined,
    );
    this.#counts.dropped += this.#queue.length;
    this.#queue.length = 0;
    this.#service.close();
  }

  #sendLater(): void {
    this.#sendSoon(Math.max(this.#pauseMs, this.#pace.delayMs));
  }

  #sendSoon(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#sendAll(), ms);
    this.#timer.unref();
  }

  #sendAll(): void {
    this.#timer = undefined;
    this.#sending ??= this.#sendEach().finally(() => {
      this.#sending = undefined;
      if (this.#queue.length > 0) this.#sendLater();
    });
  }

  async #sendRest(): Promise<void> {
    await this.#sending;
    clearTimeout(this.#timer);
    await this.#sendEach();
  }

  /** Sends batches until the queue is empty or the collector does not accept one. */
  async #sendEach(): Promise<void> {
    do {
      const batch = this.#queue.splice(0, this.#pace.batchMax);
      if (batch.length > 0) await this.#send(batch);
    } while (this.#queue.length > 0 && this.#pauseMs === 0);
  }

  async #send(batch: readonly RecordedSpan[]): Promise<void> {
    try {
      const answer = await this.#service.ask('', {
        headers: { ...this.#headers.reveal(), 'content-type': 'application/json', 'user-agent': 'strongroom' },
        body: toOtlpRequest(batch, this.#resource),
      });
      if (answer.status < 200 || answer.status > 299) throw new CollectorRefusal(answer.status);
      const refused = Math.min(batch.length, refusedCount(answer));
      this.#counts.sent += batch.length - refused;
      this.#counts.failed += refused;
      this.#noteSuccess();
    } catch (error) {
      this.#counts.failed += batch.length;
      this.#noteFailure(error);
    }
  }

  #noteSuccess(): void {
    if (this.#pauseMs > 0) this.#logger.info('traces are sent again', { url: this.#place });
    this.#pauseMs = 0;
  }

  #noteFailure(error: unknown): void {
    const { pauseMinMs, pauseMaxMs } = this.#pace;
    // If several attempts fail in a row, the first failure alone is logged.
    if (this.#pauseMs === 0)
      this.#logger.warn('traces cannot be sent', { url: this.#place, error: codeOf(error) ?? nameOf(error) });
    this.#pauseMs = Math.min(pauseMaxMs, Math.max(pauseMinMs, this.#pauseMs * 2));
  }
}

class CollectorRefusal extends Error {
  readonly code: string;

  constructor(status: number) {
    super('The collector did not take the spans.');
    this.name = 'CollectorRefusal';
    this.code = `HTTP ${status}`;
  }
}

/** Returns how many spans the collector rejected. It may accept a part of a request. */
function refusedCount({ body }: ServiceResponse): number {
  try {
    const rejected = Number(membersOf(membersOf(JSON.parse(body))['partialSuccess'])['rejectedSpans'] ?? 0);
    return rejected > 0 ? Math.trunc(rejected) : 0;
  } catch {
    // The collector accepted the spans, so the rest of its response does not matter.
    return 0;
  }
}
