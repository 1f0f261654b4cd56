import { Sensitive } from '../../../core/identity/sensitive.ts';
import type { TenantId } from '../../../core/identity/ids.ts';
import { DestinationFailure } from '../../../platform/outbound/destination-failure.ts';
import { DestinationRefusal } from '../../../platform/outbound/destination-refusal.ts';
import type { OutboundResponse } from '../../../platform/outbound/destination-exchange.ts';
import type { Outbound } from '../../../platform/outbound/outbound.ts';
import { ResponsePace } from '../../../platform/outbound/response-pace.ts';
import type { DeliveryResult } from '../model/delivery.ts';
import { excerptBytesMax, toExcerpt } from './response-excerpt.ts';
import { parseRetryAfter } from './retry-schedule.ts';
import type { WebhookMessage } from './webhook-message.ts';

/** The time that Standard Webhooks recommends to wait for a response. */
const responseMs = 15_000;

export interface SendResult extends DeliveryResult {
  readonly outcome: 'accepted' | 'gone' | 'failed';
  /** The delay that the endpoint asked for, in seconds. */
  readonly retryAfterSeconds: number | undefined;
}

/**
 * Sends a message to an endpoint. URL, addresses and certificate are checked for every request, so a name that leads
 * elsewhere after it was registered is refused here. Redirects are not followed.
 */
export class WebhookSender {
  readonly #outbound: Outbound;
  readonly #responseMs: number;
  readonly #pace = new ResponsePace(1024 * 1024);

  constructor(outbound: Outbound, { timeoutMs = responseMs }: { readonly timeoutMs?: number } = {}) {
    this.#outbound = outbound;
    this.#responseMs = timeoutMs;
  }

  async send(tenantId: TenantId, url: string, message: WebhookMessage): Promise<SendResult> {
    const startedAt = performance.now();
    const durationMs = () => Math.round(performance.now() - startedAt);
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new DestinationFailure('late')), this.#responseMs);
    try {
      const response = await this.#exchange(tenantId, url, { message, signal: late.signal });
      const excerpt = await readExcerpt(response);
      const { status } = response;
      return {
        outcome: status >= 200 && status < 300 ? 'accepted' : status === 410 ? 'gone' : 'failed',
        responseStatus: status,
        durationMs: durationMs(),
        error: null,
        response: excerpt === '' ? null : excerpt,
        retryAfterSeconds: findRetryAfter(response),
      };
    } catch (error) {
      const failed = { outcome: 'failed', responseStatus: null, response: null, retryAfterSeconds: undefined } as const;
      return { ...failed, durationMs: durationMs(), error: nameOfFailure(error) };
    } finally {
      clearTimeout(timer);
    }
  }

  async #exchange(
    tenantId: TenantId,
    url: string,
    { message, signal }: { readonly message: WebhookMessage; readonly signal: AbortSignal },
  ): Promise<OutboundResponse> {
    const { headers, body } = message;
    const destination = this.#outbound.parse(url);
    const vetted = await this.#outbound.resolve(destination, signal);
    const connection = await this.#outbound.connect(destination, vetted, { tenantId, signal });
    try {
      const { path, query } = destination;
      return await connection.send(
        {
          method: 'POST',
          target: new Sensitive(`${path === '' ? '/' : path}${query === '' ? '' : `?${query}`}`),
          headers: new Sensitive(headers),
          body: new Sensitive(Buffer.from(body, 'utf8')),
        },
        this.#pace,
      );
    } catch (error) {
      connection.close();
      throw error;
    }
  }
}

/** Reads as much of a response as is kept, and closes its connection. */
async function readExcerpt({ body }: OutboundResponse): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= excerptBytesMax) break;
    }
  } catch {
    // The status alone determines the outcome, so a body that breaks off changes nothing.
  }
  body.destroy();
  return toExcerpt(Buffer.concat(chunks));
}

function findRetryAfter({ status, headers }: OutboundResponse): number | undefined {
  if (status !== 429 && status !== 503) return undefined;
  const field = headers.find(({ name }) => name.toLowerCase() === 'retry-after');
  return parseRetryAfter(field?.value.trim(), new Date());
}

/** Returns the name of a failure. The owner of an endpoint does not learn which addresses its name resolves to. */
function nameOfFailure(error: unknown): string {
  if (error instanceof DestinationRefusal) return error.isMalformed ? `refused: ${error.reason}` : 'refused: address';
  return error instanceof DestinationFailure ? error.reason : 'internal-error';
}
