import type { ConnectionOrigin } from '../../database/connections/connection-origin.ts';
import { createSecretKey } from 'node:crypto';
import {
  keyVersionOf,
  openRecord,
  type RecordBinding,
  sealRecord,
  type VersionedKey,
} from '../sealing/sealed-record.ts';
import type { Epoch } from './epoch.ts';
import { EpochChannel } from './epoch-channel.ts';
import { EpochExchange } from './epoch-exchange.ts';
import type { Mac } from './epoch-message.ts';
import { EpochStore } from './epoch-store.ts';
import { Gathering } from './gathering.ts';
import { MissingEpochs } from './missing-epochs.ts';
import { OwnEpochs } from './own-epochs.ts';
import { peersMax } from './peers.ts';
import { steadyNow, systemTimers, type Timers } from './timers.ts';

/** The time that startup waits for servers that are connected but do not reply. */
const gatherMs = 2_000;

export interface EpochKeysOptions {
  readonly url: string;
  readonly mac: Mac;
  /** Shared with other connections of this process to the same address. */
  readonly origin?: ConnectionOrigin;
  /** Returns monotonic milliseconds from an arbitrary origin. */
  readonly now?: () => number;
  readonly timers?: Timers;
  /** The store for secrets. Tests supply their own to inspect it. */
  readonly store?: EpochStore;
}

/**
 * Encrypts card verification codes with keys that exist only in the memory of servers and are destroyed within 65
 * minutes. No code can be recovered from a backup, a log or a disk. Every server can open codes that any other server
 * encrypted.
 */
export class EpochKeys {
  readonly #now: () => number;
  readonly #timers: Timers;
  readonly #store: EpochStore;
  readonly #own: OwnEpochs;
  readonly #exchange: EpochExchange;
  readonly #channel: EpochChannel;
  readonly #missing: MissingEpochs;
  readonly #gathering = new Gathering();
  #dueAt = Number.POSITIVE_INFINITY;
  #cancelTimer: () => void = () => undefined;
  #isStopped = false;

  /** Resolves when this process has the keys of the running servers, and they have its keys. */
  static async start(options: EpochKeysOptions): Promise<EpochKeys> {
    const keys = new EpochKeys(options);
    try {
      await keys.#channel.start();
      const others = await keys.#channel.countOthers();
      await keys.#gathering.complete(Math.min(others, peersMax), gatherMs);
      await keys.#advance();
      return keys;
    } catch (error) {
      await keys.stop();
      throw error;
    }
  }

  private constructor(options: EpochKeysOptions) {
    const { now = steadyNow, timers = systemTimers, store = new EpochStore() } = options;
    this.#now = now;
    this.#timers = timers;
    this.#store = store;
    this.#own = new OwnEpochs(store);
    this.#missing = new MissingEpochs({ ask: (id) => void this.#exchange.want([id]), now, timers });
    const events = {
      onConnected: () => {
        this.#catchUp();
        // The message lists the epochs of this process, so a server that has missed a key requests it.
        void this.#exchange.hello();
      },
      onPayload: (payload: string) => {
        if (this.#isStopped) return;
        this.#catchUp();
        this.#exchange.receive(payload);
      },
    };
    this.#channel = new EpochChannel(options.url, events, options.origin);
    this.#exchange = new EpochExchange({
      store,
      mac: options.mac,
      now,
      send: (payloads) => this.#channel.send(payloads),
      onKeys: (processId, ids) => this.#arrived(processId, ids),
    });
  }

  seal(text: string, binding: RecordBinding): Buffer {
    this.#catchUp();
    return sealRecord(Buffer.from(text, 'utf8'), binding, toKey(this.#own.current));
  }

  /**
   * Returns undefined if the key is gone. Throws `SealedRecordError` if the record is damaged or does not match its
   * binding.
   */
  async open(record: Buffer, binding: RecordBinding): Promise<string | undefined> {
    const id = keyVersionOf(record);
    this.#catchUp();
    if (this.#store.find(id, this.#now()) === undefined) await this.#missing.wait(id);
    const epoch = this.#store.find(id, this.#now());
    return epoch === undefined ? undefined : openRecord(record, binding, toKey(epoch)).toString('utf8');
  }

  /** The state for metrics. If a server has no peers, its codes are lost when it stops. */
  get usage(): { readonly peers: number; readonly epochs: number; readonly isConnected: boolean } {
    return { peers: this.#exchange.peers.size, epochs: this.#store.size, isConnected: this.#channel.isConnected };
  }

  /** Stops without handing anything over, because the other servers already have every key. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelTimer();
    this.#own.stop();
    this.#store.destroyAll();
    this.#exchange.receiveKeys.destroyAll();
    this.#missing.stop();
    await this.#channel.stop();
  }

  /** Does overdue work if a timer is late. No key is used after its end, no matter how busy the process is. */
  #catchUp(): void {
    if (this.#now() >= this.#dueAt) void this.#advance();
  }

  /** Does everything that is due. Resolves when the other servers have been notified. */
  async #advance(): Promise<void> {
    if (this.#isStopped) return;
    const now = this.#now();
    for (const id of this.#store.destroyEnded(now)) this.#missing.markGone(id);
    this.#exchange.peers.forgetSilent(now);
    const hasNewKey = this.#exchange.receiveKeys.advance(now);
    const made = this.#own.advance(now);
    this.#schedule();
    await Promise.all([this.#exchange.announce(made), hasNewKey ? this.#exchange.hello() : undefined]);
  }

  #schedule(): void {
    this.#cancelTimer();
    this.#dueAt = Math.min(this.#store.nextEndAt, this.#exchange.receiveKeys.nextDueAt, this.#own.nextDueAt);
    this.#cancelTimer = this.#timers.after(this.#dueAt - this.#now(), () => void this.#advance());
  }

  #arrived(processId: string, ids: readonly number[]): void {
    for (const id of ids) this.#missing.arrived(id);
    this.#gathering.heard(processId);
    // Before the first epoch there is nothing to schedule. After that, a new epoch may end sooner than any other.
    if (Number.isFinite(this.#dueAt)) this.#schedule();
  }
}

/**
 * Returns a key object for one operation. The next minor garbage collection wipes it, while a stored key object would
 * survive it.
 */
function toKey({ id, secret }: Epoch): VersionedKey {
  return { version: id, key: createSecretKey(secret) };
}
