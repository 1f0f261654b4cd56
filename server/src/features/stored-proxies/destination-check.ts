import { invalidField } from '../../core/errors/domain-error.ts';
import { DestinationRefusal } from '../../platform/outbound/destination-refusal.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';

/** A name that takes longer than this to resolve is checked when it is first called. */
const resolveMs = 2_000;

/** Checks destinations before they are stored. Every call checks them again. */
export class DestinationCheck {
  readonly #outbound: Pick<Outbound, 'parse' | 'resolve'>;

  constructor(outbound: Pick<Outbound, 'parse' | 'resolve'>) {
    this.#outbound = outbound;
  }

  /** Returns host and port of the URL; throws if it may not be called. A name that does not resolve yet is accepted. */
  async requireCallable(url: string): Promise<{ readonly host: string; readonly port: number }> {
    try {
      const destination = this.#outbound.parse(url);
      await this.#outbound.resolve(destination, AbortSignal.timeout(resolveMs)).catch((error: unknown) => {
        if (error instanceof DestinationRefusal) throw error;
      });
      return destination;
    } catch (error) {
      if (error instanceof DestinationRefusal) throw invalidField('destination_url', toFieldMessage(error.message));
      throw error;
    }
  }
}

/** Messages of fields begin in lower case and have no full stop at their end. */
function toFieldMessage(sentence: string): string {
  return `cannot be called: ${sentence.charAt(0).toLowerCase()}${sentence.slice(1).replace(/\.$/, '')}`;
}
