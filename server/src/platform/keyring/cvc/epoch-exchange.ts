import { ResponseBudget } from './response-budget.ts';
import { type Epoch, leadMs, lifeMs } from './epoch.ts';
import { type EpochMessage, type Mac, parsePayload } from './epoch-message.ts';
import { openParcel, parcelCount } from './epoch-parcel.ts';
import type { EpochStore } from './epoch-store.ts';
import { MessageWriter } from './message-writer.ts';
import { diesAt, isAlive, Peers, type Receiver } from './peers.ts';
import { ReceiveKeys } from './receive-keys.ts';

export interface EpochExchangeParts {
  readonly store: EpochStore;
  readonly mac: Mac;
  readonly now: () => number;
  /** Never fails. Anything that cannot be sent now is sent after reconnecting. */
  readonly send: (payloads: readonly string[]) => Promise<void>;
  /** Called for each opened parcel from a peer, with the ids in it. */
  readonly onKeys: (processId: string, ids: readonly number[]) => void;
}

/** Exchanges keys between servers, so that each can open what any of them encrypted. */
export class EpochExchange {
  readonly peers = new Peers();
  readonly receiveKeys = new ReceiveKeys();
  readonly #parts: EpochExchangeParts;
  readonly #writer: MessageWriter;
  readonly #budget: ResponseBudget;

  constructor(parts: EpochExchangeParts) {
    const { mac, now } = parts;
    this.#parts = parts;
    this.#writer = new MessageWriter({ receiveKeys: this.receiveKeys, mac, now });
    this.#budget = new ResponseBudget(now());
    this.receiveKeys.advance(now());
  }

  /**
   * Announces this process, its key and the epochs it has. The other servers send the epochs that it lacks, and request
   * those that they lack themselves.
   */
  hello(): Promise<void> {
    const ids = this.#parts.store.list(this.#parts.now()).map(({ id }) => id);
    return this.#parts.send([this.#writer.ids('hello', ids)]);
  }

  want(ids: readonly number[]): Promise<void> {
    return this.#parts.send([this.#writer.ids('want', ids)]);
  }

  announce(epochs: readonly Epoch[]): Promise<void> {
    const receivers = this.peers.list(this.#parts.now());
    const outliving = epochs.filter((epoch) => receivers.every((receiver) => outlives(epoch, receiver)));
    if (outliving.length === 0) return Promise.resolve();
    return this.#parts.send(this.#writer.keys(receivers, outliving));
  }

  /** Accepts any input from the channel, and ignores anything not written by another server of the installation. */
  receive(payload: string): void {
    const message = parsePayload(payload, this.#parts.mac);
    if (message === undefined || message.sender.processId === this.#writer.processId) return;
    const { sender } = message;
    const now = this.#parts.now();
    const receiver: Receiver = { publicKey: Buffer.from(sender.publicKey), bornAt: now - sender.keyAgeMs };
    if (!isAlive(receiver, now) || !this.peers.isNewer(sender)) return;

    const isNew = this.peers.meet(sender.processId, receiver);
    if (message.kind === 'keys') {
      this.#accept(message);
      if (isNew) this.#answer(receiver, outlivingOnly(this.#parts.store.listOwn(now), receiver));
    } else if (message.kind === 'hello') {
      this.#answerHello(receiver, new Set(message.ids), isNew);
    } else {
      this.#answerWant(receiver, message.ids);
    }
  }

  #answerHello(receiver: Receiver, known: ReadonlySet<number>, isNew: boolean): void {
    const { store, now } = this.#parts;
    const unlisted = store.list(now()).filter(({ id }) => !known.has(id));
    const lacking = outlivingOnly(unlisted, receiver);
    // A new server counts the replies, so a reply is sent even if it contains no keys.
    if (isNew || lacking.length > 0) this.#answer(receiver, lacking);
    const unknown = [...known].filter((id) => !store.has(id));
    if (unknown.length > 0 && this.#budget.take(1, now())) void this.want(unknown);
  }

  #answerWant(receiver: Receiver, ids: readonly number[]): void {
    const { store, now } = this.#parts;
    const wanted = new Set(ids);
    const held = store.list(now()).filter(({ id }) => wanted.has(id));
    const found = outlivingOnly(held, receiver);
    if (found.length > 0) this.#answer(receiver, found);
  }

  #answer(receiver: Receiver, epochs: readonly Epoch[]): void {
    if (!this.#budget.take(parcelCount(epochs.length), this.#parts.now())) return;
    void this.#parts.send(this.#writer.keys([receiver], epochs));
  }

  #accept(message: Extract<EpochMessage, { kind: 'keys' }>): void {
    const { store, now, onKeys } = this.#parts;
    const { sender, oneShotKey, parcel, head } = message;
    const receiver = this.receiveKeys.find(message.receiverKey, now());
    if (receiver === undefined) return;
    const entries = openParcel(parcel, { oneShotKey, receiver }, { counter: sender.counter, associatedData: head });
    if (entries === undefined) return;

    for (const { id, endsAfterMs, secret } of entries) {
      const endsAt = receiver.bornAt + endsAfterMs;
      // No server announces an epoch earlier than the lead time before its use, so no remaining life can be longer.
      const isPlausible = now() < endsAt && endsAt <= now() + lifeMs + leadMs;
      if (isPlausible) {
        this.receiveKeys.endBy(receiver, endsAt);
        store.addForeign({ id, endsAt, secret });
      } else secret.fill(0);
    }
    onKeys(
      sender.processId,
      entries.map(({ id }) => id),
    );
  }
}

/**
 * Returns true if the epoch may be sent to the receiver's key, which must be destroyed before the epoch ends. Otherwise
 * the message could be held back and opened after the end of the epoch with a copy of the receiver's memory: the
 * receiver does not destroy a key early for a message that it never received.
 */
function outlives({ endsAt }: Epoch, receiver: Receiver): boolean {
  return endsAt >= diesAt(receiver);
}

function outlivingOnly(epochs: readonly Epoch[], receiver: Receiver): Epoch[] {
  return epochs.filter((epoch) => outlives(epoch, receiver));
}
