import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** How the bytes of a line fare. */
export type LineState =
  | { readonly kind: 'open' }
  /** Every piece waits for so long before it goes on, in both directions. */
  | { readonly kind: 'slow'; readonly ms: number }
  /** Nothing goes on, in both directions or in one; connections stay, and new ones are accepted. */
  | { readonly kind: 'stalled'; readonly way: 'both' | 'forth' | 'back' }
  /** Connections are accepted and reset; those that are open are reset at once. */
  | { readonly kind: 'reset' }
  /** The far end is gone without a word: what is open stays open for ever on this side, and is closed on the other. */
  | { readonly kind: 'half-open' };

interface Pair {
  readonly near: Socket;
  readonly far: Socket;
}

/** One TCP line that goes through this process and can be made to misbehave. */
export class Relay {
  readonly #server: Server;
  readonly #pairs = new Set<Pair>();
  readonly #target: { readonly host: string; readonly port: number };
  #state: LineState = { kind: 'open' };

  static async start(
    listenAt: { readonly host: string; readonly port: number },
    target: { readonly host: string; readonly port: number },
  ): Promise<Relay> {
    const relay = new Relay(target);
    relay.#server.listen(listenAt.port, listenAt.host);
    await once(relay.#server, 'listening');
    return relay;
  }

  private constructor(target: { readonly host: string; readonly port: number }) {
    this.#target = target;
    this.#server = createServer({ allowHalfOpen: false, noDelay: true }, (near) => this.#accept(near));
  }

  set(state: LineState): void {
    this.#state = state;
    if (state.kind === 'reset') for (const pair of this.#pairs) reset(pair);
    if (state.kind === 'half-open') for (const { far } of this.#pairs) far.destroy();
    for (const pair of this.#pairs) this.#apply(pair);
  }

  #accept(near: Socket): void {
    near.on('error', () => undefined);
    if (this.#state.kind === 'reset') {
      near.resetAndDestroy();
      return;
    }
    const far = connect({ ...this.#target, noDelay: true });
    const pair = { near, far };
    this.#pairs.add(pair);
    far.on('error', () => undefined);
    this.#carry(near, far);
    this.#carry(far, near);
    near.once('close', () => {
      far.destroy();
      this.#pairs.delete(pair);
    });
    far.once('close', () => {
      // A far end that is gone without a word is not reported.
      if (this.#state.kind !== 'half-open') near.destroy();
    });
    this.#apply(pair);
  }

  /** Sends on, in order, whatever the state says about when. */
  #carry(from: Socket, to: Socket): void {
    let before = Promise.resolve();
    let waiting = 0;
    const send = (bytes: Buffer) => {
      if (!to.destroyed && !to.write(bytes)) from.pause();
    };
    from.on('data', (bytes: Buffer) => {
      const ms = this.#state.kind === 'slow' ? this.#state.ms : 0;
      // What comes after something that waits, waits for it.
      if (ms === 0 && waiting === 0) {
        send(bytes);
        return;
      }
      waiting += 1;
      const delay = new Promise<void>((resolve) => setTimeout(resolve, ms));
      before = Promise.all([before, delay]).then(() => {
        waiting -= 1;
        send(bytes);
      });
    });
    to.on('drain', () => this.#resume(from));
  }

  #resume(from: Socket): void {
    const pair = [...this.#pairs].find(({ near, far }) => near === from || far === from);
    if (pair !== undefined && !this.#isStalled(from === pair.near ? 'forth' : 'back')) from.resume();
  }

  #isStalled(way: 'forth' | 'back'): boolean {
    const state = this.#state;
    return state.kind === 'half-open' || (state.kind === 'stalled' && (state.way === 'both' || state.way === way));
  }

  #apply({ near, far }: Pair): void {
    if (this.#isStalled('forth')) near.pause();
    else near.resume();
    if (this.#isStalled('back')) far.pause();
    else far.resume();
    // Once the line is open again, what lost its far end is told so.
    if (this.#state.kind === 'open' && far.destroyed) near.destroy();
  }
}

function reset({ near, far }: Pair): void {
  near.resetAndDestroy();
  far.resetAndDestroy();
}
