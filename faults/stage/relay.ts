import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** The way in which a connection handles bytes. */
export type LineState =
  | { readonly kind: 'open' }
  /** Every chunk is delayed by this time, in both directions. */
  | { readonly kind: 'slow'; readonly ms: number }
  /** Nothing is forwarded, in one direction or both. Connections stay open, and new ones are accepted. */
  | { readonly kind: 'stalled'; readonly way: 'both' | 'forth' | 'back' }
  /** Open connections are reset immediately. New ones are accepted and reset. */
  | { readonly kind: 'reset' }
  /** The far end disappears silently. Connections stay open forever on the near side and are closed on the far side. */
  | { readonly kind: 'half-open' };

interface Pair {
  readonly near: Socket;
  readonly far: Socket;
}

/** A TCP relay in this process that can be made to misbehave. */
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
      // If the far end disappeared silently, the near side must not notice.
      if (this.#state.kind !== 'half-open') near.destroy();
    });
    this.#apply(pair);
  }

  /** Forwards bytes in order, with the delay that the state sets. */
  #carry(from: Socket, to: Socket): void {
    let before = Promise.resolve();
    let waiting = 0;
    const send = (bytes: Buffer) => {
      if (!to.destroyed && !to.write(bytes)) from.pause();
    };
    from.on('data', (bytes: Buffer) => {
      const ms = this.#state.kind === 'slow' ? this.#state.ms : 0;
      // A chunk must wait for delayed chunks before it.
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
    // Near ends that lost their far end are closed when the connection is open again.
    if (this.#state.kind === 'open' && far.destroyed) near.destroy();
  }
}

function reset({ near, far }: Pair): void {
  near.resetAndDestroy();
  far.resetAndDestroy();
}
