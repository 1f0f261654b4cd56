import { DestinationFailure } from '../../platform/outbound/destination-failure.ts';

/** Ends a call when it times out or its client disconnects, and reports which of the two it was. */
export class CallClock {
  readonly signal: AbortSignal;
  readonly #stop: () => void;

  constructor(callMs: number, client: AbortSignal) {
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(new DestinationFailure('late')), callMs);
    const onGone = () => controller.abort(new DestinationFailure('abandoned'));
    if (client.aborted) onGone();
    client.addEventListener('abort', onGone, { once: true });
    this.signal = controller.signal;
    this.#stop = () => {
      clearTimeout(timer);
      client.removeEventListener('abort', onGone);
    };
  }

  stop(): void {
    this.#stop();
  }
}
