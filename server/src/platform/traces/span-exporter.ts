import { codeOf, nameOf } from '../../core/errors/thrown.ts';
import { membersOf } from '../../core/objects/members-of.ts';
import { OperatorService, type ServiceAnswer } from '../outbound/operator-service.ts';
import { withinTime } from '../waiting/within-time.ts';
import type { Logger } from '../telemetry/logger.ts';
import { toOtlpRequest } from './otlp-request.ts';
import type { RecordedSpan } from './recorded-span.ts';
import type { TraceConfig } from './trace-config.ts';
import type { TraceCounts } from '../telemetry/tracer.ts';

export interface ExportPace {
  /** Spans that may wait. About a kilobyte each. */
  readonly queueMax: number;
  /** Writing a request of so many takes about a millisecond, for which everything else waits. */
  readonly batchMax: number;
  readonly delayMs: number;
  readonly timeoutMs: number;
  /** Before the next attempt after a failure; doubles up to the second. */
  readonly pauseMinMs: number;
  readonly pauseMaxMs: number;
  /** For what is left at the end. */
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
 * Brings spans to the collector, one request at a time. No request of the vault waits for it: what the collector does not take
 * is counted and forgotten, and while it takes nothing the queue is all that is kept.
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

  /** Until nothing waits, or the collector does not take it. */
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
    // Once, however often it fails after that.
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

/** A collector may take a part of a request, and says of how many spans it did not. */
function refusedCount({ body }: ServiceAnswer): number {
  try {
    const rejected = Number(membersOf(membersOf(JSON.parse(body))['partialSuccess'])['rejectedSpans'] ?? 0);
    return rejected > 0 ? Math.trunc(rejected) : 0;
  } catch {
    // It took the spans; what else it says does not matter.
    return 0;
  }
}
