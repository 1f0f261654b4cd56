import { invalidField } from '../../../core/errors/domain-error.ts';
import { DestinationRefusal } from '../../../platform/outbound/destination-refusal.ts';
import type { Outbound } from '../../../platform/outbound/outbound.ts';

/** A name that takes longer than this to resolve is checked when it is first called. */
const resolveMs = 2_000;

/** Checks the addresses of endpoints before they are stored. Every delivery checks them again. */
export class WebhookUrlCheck {
  readonly #outbound: Pick<Outbound, 'parse' | 'resolve'>;

  constructor(outbound: Pick<Outbound, 'parse' | 'resolve'>) {
    this.#outbound = outbound;
  }

  /**
   * Returns the host of the URL; throws if it may not be called. A name that does not resolve yet is accepted, because
   * endpoints are often configured before they exist.
   */
  async requireCallable(url: string): Promise<string> {
    try {
      const destination = this.#outbound.parse(url);
      await this.#outbound.resolve(destination, AbortSignal.timeout(resolveMs)).catch((error: unknown) => {
        if (error instanceof DestinationRefusal) throw error;
      });
      return destination.host;
    } catch (error) {
      if (error instanceof DestinationRefusal) throw invalidField('url', toFieldMessage(error.message));
      throw error;
    }
  }
}

/** Messages of fields begin in lower case and have no full stop at their end. */
function toFieldMessage(sentence: string): string {
  return `cannot be called: ${sentence.charAt(0).toLowerCase()}${sentence.slice(1).replace(/\.$/, '')}`;
}
