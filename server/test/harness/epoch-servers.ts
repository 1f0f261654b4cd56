import { createHash, createHmac, randomBytes } from 'node:crypto';
import { expect, vi } from 'vitest';
import { EpochKeys } from '../../src/platform/keyring/cvc/epoch-keys.ts';
import type { Mac } from '../../src/platform/keyring/cvc/epoch-message.ts';
import { EpochStore } from '../../src/platform/keyring/cvc/epoch-store.ts';
import type { Timers } from '../../src/platform/keyring/cvc/timers.ts';
import { patienceMs } from './deadline.ts';

const stepMs = 30_000;

/** A clock that stands still until a test moves it. Timers fire in order. */
export class TestClock implements Timers {
  #nowMs = 0;
  readonly #timers = new Set<{ readonly at: number; readonly work: () => void }>();

  readonly now = () => this.#nowMs;

  after(delayMs: number, work: () => void): () => void {
    const timer = { at: this.#nowMs + Math.max(0, delayMs), work };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  move(ms: number): void {
    const end = this.#nowMs + ms;
    for (;;) {
      const due = [...this.#timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.#nowMs = Math.max(this.#nowMs, due.at);
      this.#timers.delete(due);
      due.work();
    }
    this.#nowMs = end;
  }
}

/**
 * Tracks messages in flight. A party calls its MAC once for each message it writes and once for
 * each message it receives.
 */
export class Wire {
  readonly #mac: Mac;
  readonly #unheard = new Map<string, Set<string>>();
  readonly listening = new Set<string>();

  constructor(mac: Mac = macUnder(randomBytes(32))) {
    this.#mac = mac;
  }

  macOf(party: string, ownMac: Mac = this.#mac): Mac {
    return (message) => {
      this.note(party, message);
      return ownMac(message);
    };
  }

  /** Records a message. The first party to mention it is the sender, and every listener is expected to receive it. */
  note(party: string, message: Buffer): void {
    const id = idOf(message);
    if (this.#unheard.has(id)) this.#unheard.get(id)?.delete(party);
    else this.#unheard.set(id, new Set(this.listening));
  }

  /** Expects every listener to receive the message, whether it is new or a repetition. */
  repeat(message: Buffer): void {
    this.#unheard.set(idOf(message), new Set(this.listening));
  }

  get isQuiet(): boolean {
    return [...this.#unheard.values()].every((parties) => [...parties].every((party) => !this.listening.has(party)));
  }

  async quiet(): Promise<void> {
    const options = { timeout: patienceMs, interval: 1 };
    await vi.waitFor(() => expect(this.isQuiet, 'a message has not arrived').toBe(true), options);
  }
}

const idOf = (message: Buffer) => createHash('sha256').update(message).digest('base64');

export const macUnder =
  (key: Buffer): Mac =>
  (message) =>
    createHmac('sha256', key).update(message).digest();

export interface EpochServer {
  readonly name: string;
  readonly keys: EpochKeys;
  readonly store: EpochStore;
}

/** Servers that share verification code keys over a real database, on a clock that the test controls. */
export class EpochServers {
  readonly clock = new TestClock();
  readonly wire: Wire;
  readonly #url: string;
  #servers: EpochServer[] = [];

  constructor(url: string, wire = new Wire()) {
    this.#url = url;
    this.wire = wire;
  }

  async join(
    options: { readonly url?: string; readonly mac?: Mac; readonly now?: () => number } = {},
  ): Promise<EpochServer> {
    const name = randomBytes(4).toString('hex');
    const store = new EpochStore();
    const { url = this.#url, now = this.clock.now } = options;
    const mac = this.wire.macOf(name, options.mac);
    const server = { name, store, keys: await EpochKeys.start({ url, mac, now, timers: this.clock, store }) };
    this.#servers.push(server);
    this.wire.listening.add(name);
    return server;
  }

  async stop(server: EpochServer): Promise<void> {
    this.wire.listening.delete(server.name);
    this.#servers = this.#servers.filter((other) => other !== server);
    await server.keys.stop();
  }

  async stopAll(): Promise<void> {
    for (const server of this.#servers) await this.stop(server);
  }

  /**
   * Advances the clock in small steps and lets every message arrive before each step, because the clocks of real
   * servers are never days apart.
   */
  async pass(ms: number): Promise<void> {
    await this.wire.quiet();
    const end = this.clock.now() + ms;
    while (this.clock.now() < end) {
      this.clock.move(Math.min(stepMs, end - this.clock.now()));
      await this.wire.quiet();
    }
  }
}
