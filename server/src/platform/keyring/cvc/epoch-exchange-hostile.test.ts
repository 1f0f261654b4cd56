import { createHmac, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { lifeMs } from './epoch.ts';
import { EpochExchange } from './epoch-exchange.ts';
import { parsePayload, toPayload, writeIds } from './epoch-message.ts';
import { EpochStore } from './epoch-store.ts';
import { MessageWriter } from './message-writer.ts';
import { countersMax, peersMax } from './peers.ts';
import { ReceiveKeys, receiveMs } from './receive-keys.ts';
import { makeSecret } from './secret-memory.ts';
import { publicKeyLength } from './x25519.ts';

const macKey = randomBytes(32);
const mac = (message: Buffer) => createHmac('sha256', macKey).update(message).digest();
const strangersMac = (message: Buffer) => createHmac('sha256', randomBytes(32)).update(message).digest();

let nowMs: number;
let store: EpochStore;
let sent: string[];
let exchange: EpochExchange;

beforeEach(() => {
  nowMs = 0;
  sent = [];
  store = new EpochStore();
  store.addOwn({ id: 1, endsAt: lifeMs, secret: makeSecret() });
  exchange = new EpochExchange({
    store,
    mac,
    now: () => nowMs,
    send: async (payloads) => void sent.push(...payloads),
    onKeys: () => undefined,
  });
});

/** Creates a writer like that of a server. With a wrong MAC, it acts as an attacker who can only run NOTIFY. */
function writerWith(writersMac = mac): MessageWriter {
  const receiveKeys = new ReceiveKeys();
  receiveKeys.advance(nowMs);
  return new MessageWriter({ receiveKeys, mac: writersMac, now: () => nowMs });
}

const us = () => ({ publicKey: exchange.receiveKeys.newest.publicKey, bornAt: exchange.receiveKeys.newest.bornAt });
const keysFor = (writer: MessageWriter, id: number, endsAt = lifeMs) =>
  writer.keys([us()], [{ id, endsAt, secret: makeSecret() }]);
const receiveAll = (payloads: readonly string[]) => {
  for (const payload of payloads) exchange.receive(payload);
};

/** Simulates a restart, or messages from many other servers. */
function forgetCounters(): void {
  for (let other = 0; other <= countersMax; other += 1) {
    exchange.peers.isNewer({ processId: `${other}`, counter: nowMs, publicKey: Buffer.alloc(32), keyAgeMs: 0 });
  }
}

/** Expects that no key was learned, no peer was added and no message was sent. */
function expectUntouched(): void {
  expect(store.list(nowMs).map(({ id }) => id)).toEqual([1]);
  expect([exchange.peers.size, exchange.peers.rememberedCount, sent.length]).toEqual([0, 0, 0]);
}

describe('somebody who can only run NOTIFY', () => {
  it('is not heard', () => {
    const stranger = writerWith(strangersMac);
    receiveAll([stranger.ids('hello', [2]), stranger.ids('want', [1]), ...keysFor(stranger, 2)]);
    expectUntouched();
  });

  it('changes nothing with any text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ maxLength: 9_000 }), fc.base64String({ maxLength: 9_000 })), (text) => {
        exchange.receive(text);
      }),
      { numRuns: 1_000 },
    );
    expectUntouched();
  });

  it('changes nothing by altering what a server said', () => {
    const original = Buffer.from(keysFor(writerWith(), 2)[0] ?? '', 'base64');
    fc.assert(
      fc.property(fc.nat(original.length - 1), fc.integer({ min: 1, max: 255 }), (index, change) => {
        const altered = Buffer.from(original);
        altered.writeUInt8((altered[index] ?? 0) ^ change, index);
        exchange.receive(altered.toString('base64'));
        exchange.receive(original.subarray(0, index).toString('base64'));
        exchange.receive(Buffer.concat([original, altered.subarray(index)]).toString('base64'));
      }),
      { numRuns: 1_000 },
    );
    expectUntouched();
    exchange.receive(original.toString('base64'));
    expect(store.has(2)).toBe(true);
  });

  it('brings nothing back by playing messages again', () => {
    const peer = writerWith();
    const played = [peer.ids('hello', []), peer.ids('want', [1]), ...keysFor(peer, 2, 120_000)];
    receiveAll(played);
    expect(store.find(2, nowMs)?.endsAt).toBe(120_000);
    const said = sent.length;
    receiveAll([...played, ...played].toReversed());
    expect(sent).toHaveLength(said);

    // This holds even for a server that has forgotten the counters, because an expired key is not accepted again.
    for (nowMs = 120_000; nowMs < 2 * receiveMs; nowMs += 30_000) {
      store.destroyEnded(nowMs);
      exchange.receiveKeys.advance(nowMs);
      forgetCounters();
      receiveAll(played);
      expect(store.has(2)).toBe(false);
    }
  });

  it('does not prolong a key by playing it again', () => {
    const played = keysFor(writerWith(), 2, 200_000);
    nowMs = 50_000;
    receiveAll(played);
    forgetCounters();
    receiveAll(played);
    expect(store.find(2, nowMs)?.endsAt).toBe(200_000);
  });

  it('cannot turn a server against itself by its own words', () => {
    void exchange.hello();
    receiveAll(sent.splice(0));
    expectUntouched();
  });
});

describe('somebody who has the MAC key as well', () => {
  it('is never a reason to fail, and adds no key without encrypting it to us', () => {
    fc.assert(
      fc.property(
        fc.record({
          kind: fc.constantFrom(1, 2, 3),
          head: fc.uint8Array({ minLength: 58, maxLength: 58 }),
          ageMs: fc.oneof(fc.nat(400_000), fc.constant(2 ** 32 - 1)),
          body: fc.uint8Array({ maxLength: 400 }),
          receiver: fc.constantFrom('ours', 'random'),
        }),
        ({ kind, head, ageMs, body, receiver }) => {
          const message = Buffer.concat([Buffer.of(1, kind), head, body]);
          message.writeUInt32BE(ageMs, 56);
          if (receiver === 'ours' && body.length >= publicKeyLength) us().publicKey.copy(message, 60);
          exchange.receive(toPayload(message, mac));
        },
      ),
      { numRuns: 2_000 },
    );
    expect(store.list(nowMs).map(({ id }) => id)).toEqual([1]);
  });

  it('takes no more memory with a thousand hellos, and no place from those who were there', () => {
    const peer = writerWith();
    exchange.receive(peer.ids('hello', [1]));
    for (let count = 0; count < 1_000; count += 1) {
      const ids = Array.from({ length: 1_024 }, (_, index) => count * 2_000 + index + 2);
      exchange.receive(writerWith().ids('hello', ids));
    }
    expect(exchange.peers.size).toBe(peersMax);
    expect(exchange.peers.rememberedCount).toBeLessThanOrEqual(countersMax);
    expect(store.size).toBe(1);
    // Each message causes one reply or one request, until the budget is used up.
    expect(sent.length).toBeLessThanOrEqual(512);

    sent = [];
    const epoch = { id: 2, endsAt: lifeMs, secret: makeSecret() };
    void exchange.announce([epoch]);
    expect(sent).toHaveLength(peersMax);
    exchange.receive(peer.ids('hello', [1]));
    nowMs = receiveMs;
    exchange.peers.forgetSilent(nowMs);
    expect(exchange.peers.size).toBe(0);
  });

  it('does not stop us with a public key of low order', () => {
    const sender = { processId: '00'.repeat(16), counter: 1, publicKey: Buffer.alloc(32), keyAgeMs: 0 };
    exchange.receive(toPayload(writeIds('hello', sender, []), mac));
    void exchange.announce([{ id: 2, endsAt: lifeMs, secret: makeSecret() }]);
    expect(sent).toEqual([]);
  });

  it('is not answered with a key that is too old to receive', () => {
    for (const keyAgeMs of [receiveMs, 2 ** 32 - 1]) {
      const sender = { processId: '00'.repeat(16), counter: 1, publicKey: Buffer.alloc(32, 9), keyAgeMs };
      exchange.receive(toPayload(writeIds('hello', sender, []), mac));
    }
    expectUntouched();
  });
});

it('a parcel for one server is of no use to another, nor in another message', () => {
  const peer = writerWith();
  const other = new ReceiveKeys();
  other.advance(0);
  const foreign = peer.keys(
    [{ publicKey: other.newest.publicKey, bornAt: 0 }],
    [{ id: 2, endsAt: lifeMs, secret: makeSecret() }],
  );
  receiveAll(foreign);
  expect(store.has(2)).toBe(false);

  // The parcel still does not open if somebody with the MAC key addresses and signs it again.
  const message = Buffer.from(foreign[0] ?? '', 'base64').subarray(0, -32);
  us().publicKey.copy(message, 60);
  message.writeUIntBE(99, 18, 6);
  expect(parsePayload(toPayload(message, mac), mac)).toBeDefined();
  exchange.receive(toPayload(message, mac));
  expect(store.has(2)).toBe(false);
});
