import { randomBytes } from 'node:crypto';
import type { Epoch } from './epoch.ts';
import { type Mac, type Sender, toPayload, writeIds, writeKeysHead } from './epoch-message.ts';
import { parcelCount, parcelEntriesMax, sealParcel } from './epoch-parcel.ts';
import type { Receiver } from './peers.ts';
import type { ReceiveKeys } from './receive-keys.ts';
import { type KeyPair, makeKeyPair } from './x25519.ts';

interface MessageWriterParts {
  readonly receiveKeys: ReceiveKeys;
  readonly mac: Mac;
  readonly now: () => number;
}

/** Writes, numbers and authenticates the messages of this process. */
export class MessageWriter {
  readonly #parts: MessageWriterParts;
  readonly processId = randomBytes(16).toString('hex');
  #counter = 0;

  constructor(parts: MessageWriterParts) {
    this.#parts = parts;
  }

  ids(kind: 'hello' | 'want', ids: readonly number[]): string {
    return toPayload(writeIds(kind, this.#sender(), ids), this.#parts.mac);
  }

  /**
   * Writes messages with every epoch for every receiver. If there are no epochs, each receiver gets an empty parcel.
   */
  keys(receivers: readonly Receiver[], epochs: readonly Epoch[]): string[] {
    if (receivers.length === 0) return [];
    // All receivers share one key pair, because creating a pair takes as long as a key agreement, about 250 µs.
    const oneShot = makeKeyPair();
    const messages = receivers.flatMap((receiver) =>
      toParcels(epochs).map((parcel) => this.#keysMessage(receiver, parcel, oneShot)),
    );
    oneShot.secret.fill(0);
    return messages.filter((message) => message !== undefined).map((message) => toPayload(message, this.#parts.mac));
  }

  #keysMessage(receiver: Receiver, epochs: readonly Epoch[], oneShot: KeyPair): Buffer | undefined {
    const sender = this.#sender();
    const head = writeKeysHead(sender, receiver.publicKey, oneShot.publicKey);
    const entries = epochs.map(({ id, endsAt, secret }) => {
      // The time is rounded down, and so are ages. An epoch may end early on some servers, but never late.
      return { id, endsAfterMs: Math.floor(endsAt - receiver.bornAt), secret };
    });
    const keys = { oneShot, receiver: receiver.publicKey };
    const parcel = sealParcel(entries, keys, { counter: sender.counter, associatedData: head });
    return parcel === undefined ? undefined : Buffer.concat([head, parcel]);
  }

  #sender(): Sender {
    this.#counter += 1;
    const { publicKey, bornAt } = this.#parts.receiveKeys.newest;
    const keyAgeMs = Math.floor(this.#parts.now() - bornAt);
    return { processId: this.processId, counter: this.#counter, publicKey, keyAgeMs };
  }
}

function toParcels(epochs: readonly Epoch[]): Epoch[][] {
  return Array.from({ length: parcelCount(epochs.length) }, (_, index) =>
    epochs.slice(index * parcelEntriesMax, (index + 1) * parcelEntriesMax),
  );
}
