import { DestinationFailure } from '../../platform/outbound/destination-failure.ts';

/** Ends a call when it times out or its client disconnects, and reports which of the two it was. */
export class CallClock {
  readonly signal: AbortSignal;
  readonly #stop: () => void;
  readonly #shorten: (ms: number) => void;

  constructor(callMs: number, client: AbortSignal) {
    const controller = new AbortController();
    const end = () => controller.abort(new DestinationFailure('late'));
    const timer = setTimeout(end, callMs);
    let shorter: NodeJS.Timeout | undefined;
    this.#shorten = (ms) => {
      clearTimeout(shorter);
      shorter = setTimeout(end, ms);
    };
    const onGone = () => controller.abort(new DestinationFailure('abandoned'));
    if (client.aborted) onGone();
    client.addEventListener('abort', onGone, { once: true });
    this.signal = controller.signal;
    this.#stop = () => {
      clearTimeout(timer);
      clearTimeout(shorter);
      client.removeEventListener('abort', onGone);
    };
  }

  /** Sets an earlier end, counted from now. A later one has no effect. */
  endWithin(ms: number): void {
    this.#shorten(ms);
  }

  stop(): void {
    this.#stop();
  }
}
