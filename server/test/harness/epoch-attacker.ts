import pg from 'pg';
import { EpochChannel } from '../../src/platform/keyring/cvc/epoch-channel.ts';
import { EpochExchange } from '../../src/platform/keyring/cvc/epoch-exchange.ts';
import { type EpochMessage, type Mac, parsePayload } from '../../src/platform/keyring/cvc/epoch-message.ts';
import { openParcel } from '../../src/platform/keyring/cvc/epoch-parcel.ts';
import { EpochStore } from '../../src/platform/keyring/cvc/epoch-store.ts';
import { type KeyPair, makeKeyPair } from '../../src/platform/keyring/cvc/x25519.ts';
import type { EpochServers } from './epoch-servers.ts';

const macLength = 32;

export const bytesOf = (payload: string) => Buffer.from(payload, 'base64');
/** Returns the part of a payload that the MAC covers. */
export const messageOf = (payload: string) => bytesOf(payload).subarray(0, -macLength);
/** Parses a message without checking its MAC, because the attacker cannot. */
export const readMessage = (payload: string): EpochMessage | undefined =>
  parsePayload(payload, () => bytesOf(payload).subarray(-macLength));

/** An attacker with a database login, who records all messages between servers and can send any message. */
export class EpochAttacker {
  readonly heard: string[] = [];
  /** The key pair that the attacker tries to have secrets encrypted for. */
  readonly keyPair = makeKeyPair();
  readonly client: pg.Client;
  readonly #servers: EpochServers;

  static async listen(url: string, servers: EpochServers): Promise<EpochAttacker> {
    const attacker = new EpochAttacker(new pg.Client({ connectionString: url }), servers);
    await attacker.client.connect();
    await attacker.client.query('listen strongroom_epochs');
    servers.wire.listening.add('attacker');
    return attacker;
  }

  private constructor(client: pg.Client, servers: EpochServers) {
    this.client = client;
    this.#servers = servers;
    client.on('notification', ({ payload = '' }) => {
      if (payload.startsWith('pulse ')) return;
      this.heard.push(payload);
      servers.wire.note('attacker', messageOf(payload));
    });
  }

  /** Sends messages. Resolves after every server has received them and everyone has received the replies. */
  async say(...payloads: readonly string[]): Promise<void> {
    for (const payload of payloads) {
      this.#servers.wire.repeat(messageOf(payload));
      await this.client.query(`select pg_notify('strongroom_epochs', $1)`, [payload]);
    }
    await this.#servers.wire.quiet();
  }

  /** Returns the ids of all epochs that the given receive keys can open in the recorded messages. */
  open(keys: readonly KeyPair[]): number[] {
    const ids = new Set<number>();
    for (const payload of this.heard) {
      const message = readMessage(payload);
      if (message?.kind !== 'keys') continue;
      const { oneShotKey, parcel, head, sender, receiverKey } = message;
      const context = { counter: sender.counter, associatedData: head };
      for (const receiver of keys.filter(({ publicKey }) => publicKey.equals(receiverKey))) {
        for (const { id } of openParcel(parcel, { oneShotKey, receiver }, context) ?? []) ids.add(id);
      }
    }
    return [...ids];
  }

  /** The number of key messages that were encrypted for the attacker. */
  get parcels(): number {
    const messages = this.heard.map((payload) => readMessage(payload));
    return messages.filter((message) => message?.kind === 'keys' && message.receiverKey.equals(this.keyPair.publicKey))
      .length;
  }

  async stop(): Promise<void> {
    this.#servers.wire.listening.delete('attacker');
    await this.client.end();
  }
}

/**
 * A server whose memory the attacker can copy at any moment. With a stolen MAC key, it is the attacker's own server.
 */
export class CopiedServer {
  readonly store = new EpochStore();
  readonly exchange: EpochExchange;
  /** True while an attacker on the network holds back messages to this server. */
  isDeaf = false;
  readonly #name = 'copied server';
  readonly #servers: EpochServers;
  readonly #channel: EpochChannel;
  readonly #receiveKeys: KeyPair[] = [];
  #cancelTimer: () => void = () => undefined;

  static async join(url: string, servers: EpochServers, ownMac?: Mac): Promise<CopiedServer> {
    const server = new CopiedServer(url, servers, ownMac);
    await server.#channel.start();
    servers.wire.listening.add(server.#name);
    return server;
  }

  private constructor(url: string, servers: EpochServers, ownMac?: Mac) {
    const mac = servers.wire.macOf(this.#name, ownMac);
    this.#servers = servers;
    this.exchange = new EpochExchange({
      store: this.store,
      mac,
      now: servers.clock.now,
      send: (payloads) => this.#channel.send(payloads),
      onKeys: () => this.#schedule(),
    });
    this.#receiveKeys.push(this.exchange.receiveKeys.newest);
    this.#channel = new EpochChannel(url, {
      onConnected: () => undefined,
      onPayload: (payload) => {
        if (this.isDeaf) servers.wire.note(this.#name, messageOf(payload));
        else this.exchange.receive(payload);
      },
    });
    this.#schedule();
  }

  /** Returns the keys in memory. A destroyed key is all zeros and is omitted. */
  copyMemory(): { readonly receiveKeys: KeyPair[]; readonly epochs: number[] } {
    const copies = this.#receiveKeys.map(({ publicKey, secret }) => ({ publicKey, secret: Buffer.from(secret) }));
    return {
      receiveKeys: copies.filter(({ secret }) => secret.some((byte) => byte !== 0)),
      epochs: this.store.list(this.#servers.clock.now()).map(({ id }) => id),
    };
  }

  async stop(): Promise<void> {
    this.#cancelTimer();
    this.#servers.wire.listening.delete(this.#name);
    await this.#channel.stop();
  }

  /** Destroys and replaces keys on time, as a server does. */
  #schedule(): void {
    this.#cancelTimer();
    const { clock } = this.#servers;
    const dueAt = Math.min(this.store.nextEndAt, this.exchange.receiveKeys.nextDueAt);
    this.#cancelTimer = clock.after(dueAt - clock.now(), () => {
      this.store.destroyEnded(clock.now());
      if (this.exchange.receiveKeys.advance(clock.now())) {
        this.#receiveKeys.push(this.exchange.receiveKeys.newest);
        void this.exchange.hello();
      }
      this.#schedule();
    });
  }
}
