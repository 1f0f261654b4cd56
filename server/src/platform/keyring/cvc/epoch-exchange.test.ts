import { createHmac, randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Epoch, leadMs, lifeMs } from './epoch.ts';
import { EpochExchange } from './epoch-exchange.ts';
import { parsePayload } from './epoch-message.ts';
import { openParcel } from './epoch-parcel.ts';
import { EpochStore } from './epoch-store.ts';
import { MessageWriter } from './message-writer.ts';
import { keyLifeMs } from './receive-keys.ts';
import { makeSecret } from './secret-memory.ts';

const macKey = randomBytes(32);
const mac = (message: Buffer) => createHmac('sha256', macKey).update(message).digest();

/** Delivers every message to everyone, including the sender, in the same order, like PostgreSQL does. */
let line: { readonly members: Member[]; readonly waiting: string[]; readonly said: string[] };

interface Member {
  readonly store: EpochStore;
  readonly exchange: EpochExchange;
  /** The member's own clock, which may differ from all others. */
  readonly clock: { ms: number };
  readonly answers: string[];
}

function join(clockMs = 0): Member {
  const member = { store: new EpochStore(), clock: { ms: clockMs }, answers: [] as string[] };
  const exchange = new EpochExchange({
    store: member.store,
    mac,
    now: () => member.clock.ms,
    send: async (payloads) => void line.waiting.push(...payloads),
    onKeys: (processId) => void member.answers.push(processId),
  });
  const joined = { ...member, exchange };
  line.members.push(joined);
  return joined;
}

function deliver(): string[] {
  const delivered: string[] = [];
  for (let payload = line.waiting.shift(); payload !== undefined; payload = line.waiting.shift()) {
    delivered.push(payload);
    for (const { exchange } of line.members) exchange.receive(payload);
  }
  line.said.push(...delivered);
  return delivered;
}

function pass(ms: number): void {
  for (const { clock, exchange, store } of line.members) {
    clock.ms += ms;
    store.destroyEnded(clock.ms);
    exchange.peers.forgetSilent(clock.ms);
    if (exchange.receiveKeys.advance(clock.ms)) void exchange.hello();
  }
  deliver();
}

function make({ store, clock }: Member, id: number, leftMs = lifeMs): Epoch {
  const epoch = { id, endsAt: clock.ms + leftMs, secret: makeSecret() };
  store.addOwn(epoch);
  return epoch;
}

const kindsOf = (payloads: readonly string[]) => payloads.map((payload) => parsePayload(payload, mac)?.kind);

function meet(...members: Member[]): void {
  for (const { exchange } of members) {
    void exchange.hello();
    deliver();
  }
}

beforeEach(() => {
  line = { members: [], waiting: [], said: [] };
});

describe('hello', () => {
  it('is answered with everything that the newcomer lacks', () => {
    const [a, b] = [join(), join()];
    make(a, 1);
    make(a, 2);
    meet(b);
    expect(b.store.find(1, 0)?.secret).toEqual(a.store.find(1, 0)?.secret);
    expect(b.store.list(0).map(({ id }) => id)).toEqual([1, 2]);
    expect(b.answers).toHaveLength(1);
  });

  it('is answered with keys of servers that are gone', () => {
    const [a, b] = [join(), join()];
    const { secret } = make(a, 1);
    meet(b);
    line.members.splice(0, 1);
    const c = join();
    meet(c);
    expect(c.store.find(1, 0)?.secret).toEqual(secret);
  });

  it('is answered by a server that has nothing itself, so that it is counted', () => {
    const [a, b] = [join(), join()];
    meet(b);
    expect(b.answers).toHaveLength(1);
    expect(a.answers).toHaveLength(1);
  });

  it('is not answered when nothing is lacking', () => {
    const [a, b] = [join(), join()];
    make(a, 1);
    meet(a, b);
    void a.exchange.hello();
    expect(kindsOf(deliver())).toEqual(['hello']);
  });

  it('is asked about by anyone who lacks what it names', () => {
    const [a, b] = [join(), join()];
    meet(a, b);
    make(a, 1);
    make(a, 2);
    void a.exchange.hello();
    expect(kindsOf(deliver())).toEqual(['hello', 'want', 'keys']);
    expect([b.store.has(1), b.store.has(2)]).toEqual([true, true]);
  });

  it('brings 896 epochs in messages that PostgreSQL takes', () => {
    const [a, b] = [join(), join()];
    for (let id = 0; id < 896; id += 1) make(a, id);
    meet(b);
    expect(b.store.size).toBe(896);
    expect(kindsOf(line.said).filter((kind) => kind === 'keys')).toHaveLength(7 + 1);
    expect(Math.max(...line.said.map((payload) => payload.length))).toBeLessThan(8_000);
  });
});

describe('want', () => {
  it('is answered by those who have the epoch, to the one who asked', () => {
    const [a, b, c] = [join(), join(), join()];
    meet(a, b, c);
    make(a, 1);
    void b.exchange.want([1, 99]);
    deliver();
    expect([b.store.has(1), b.store.has(99), c.store.has(1)]).toEqual([true, false, false]);
  });

  it('is not answered by anybody who has nothing of it', () => {
    const [a] = [join(), join()];
    meet(...line.members);
    void a?.exchange.want([1]);
    expect(kindsOf(deliver())).toEqual(['want']);
  });
});

describe('announce', () => {
  it('reaches every peer in one go', () => {
    const members = Array.from({ length: 10 }, () => join());
    meet(...members);
    const [a] = members;
    const epoch = a === undefined ? undefined : make(a, 1);
    void a?.exchange.announce(epoch === undefined ? [] : [epoch]);
    expect(deliver()).toHaveLength(9);
    for (const { store } of members) expect(store.has(1)).toBe(true);
  });

  it('says nothing without peers, and nothing of what is about to end', () => {
    const [a, b] = [join(), join()];
    void a.exchange.announce([make(a, 1)]);
    expect(deliver()).toEqual([]);
    meet(a, b);
    void a.exchange.announce([make(a, 2, keyLifeMs - 1)]);
    expect(deliver()).toEqual([]);
    void b.exchange.want([2]);
    expect(kindsOf(deliver())).toEqual(['want']);
  });

  it('hands over an epoch until 90 seconds before its end to a new key, and later to one that ends first', () => {
    const [a, b] = [join(), join()];
    meet(a, b);
    void a.exchange.announce([make(a, 1, keyLifeMs)]);
    expect(deliver()).toHaveLength(1);
    make(a, 2, keyLifeMs - 1);
    pass(1);
    // A key looks younger than it is by the transit time of a message, which is zero here.
    void b.exchange.want([2]);
    deliver();
    expect([b.store.has(1), b.store.has(2)]).toEqual([true, false]);
    pass(leadMs);
    void a.exchange.announce([make(a, 3, keyLifeMs - leadMs)]);
    deliver();
    expect(b.store.has(3)).toBe(true);
  });
});

describe('time', () => {
  it('is told right between clocks that have nothing in common', () => {
    const [a, b] = [join(-5_000_000), join(1e12)];
    meet(a, b);
    pass(200_000);
    void a.exchange.announce([make(a, 1)]);
    deliver();
    expect(b.store.find(1, b.clock.ms)?.endsAt).toBe(b.clock.ms + lifeMs);
    pass(lifeMs - 1);
    expect([a.store.has(1), b.store.has(1)]).toEqual([true, true]);
    pass(1);
    expect([a.store.has(1), b.store.has(1)]).toEqual([false, false]);
  });

  it.each([1, 1_000, 60_000])('never gains from a message that is %i ms late', (lateMs) => {
    const [a, b] = [join(), join()];
    meet(a, b);
    void a.exchange.announce([make(a, 1)]);
    const [late = ''] = line.waiting.splice(0);
    pass(lateMs);
    b.exchange.receive(late);
    expect(b.store.find(1, b.clock.ms)?.endsAt).toBe(a.store.find(1, a.clock.ms)?.endsAt);
  });

  it('is over for a key that arrives after its end', () => {
    const [a, b] = [join(), join()];
    meet(a, b);
    const epoch = make(a, 1, 60_000);
    void a.exchange.announce([epoch]);
    const [late = ''] = line.waiting.splice(0);
    pass(60_000);
    b.exchange.receive(late);
    expect(b.store.has(1)).toBe(false);
  });

  it('is lost, never won, when it is handed on from server to server', () => {
    let last = join();
    let ends = make(last, 1).endsAt;
    for (let round = 0; round < 5; round += 1) {
      const next = join(last.clock.ms);
      void next.exchange.hello();
      const hello = line.waiting.splice(0);
      // The other servers receive the message late.
      for (const { clock } of line.members) clock.ms += 500;
      line.waiting.push(...hello);
      deliver();
      const found = next.store.find(1, next.clock.ms)?.endsAt ?? 0;
      expect(found).toBeLessThanOrEqual(ends);
      expect(found).toBeGreaterThanOrEqual(ends - 500);
      line.members.shift();
      last = next;
      ends = found;
    }
  });

  it('of more than an epoch can have is not believed', () => {
    const [a, b] = [join(), join()];
    meet(a, b);
    const tooLong = { id: 1, endsAt: a.clock.ms + lifeMs + leadMs + 1, secret: makeSecret() };
    const longest = { id: 2, endsAt: a.clock.ms + lifeMs + leadMs, secret: makeSecret() };
    void a.exchange.announce([tooLong, longest]);
    deliver();
    expect([b.store.has(1), b.store.has(2)]).toEqual([false, true]);
  });
});

describe('what was said on the line', () => {
  /** Counts the parcels that an attacker can open with all messages, the MAC key and the given secrets. */
  function opened(secrets: readonly Buffer[]): number {
    return line.said
      .map((payload) => parsePayload(payload, mac))
      .filter((message) => message?.kind === 'keys')
      .flatMap((message) => secrets.map((secret) => ({ message, secret })))
      .filter(({ message, secret }) => {
        const receiver = { publicKey: message.receiverKey, secret };
        const context = { counter: message.sender.counter, associatedData: message.head };
        return openParcel(message.parcel, { oneShotKey: message.oneShotKey, receiver }, context) !== undefined;
      }).length;
  }
  const wireSecrets = () =>
    line.said.flatMap((payload) => {
      const bytes = Buffer.from(payload, 'base64');
      return Array.from({ length: bytes.length - 31 }, (_, start) => bytes.subarray(start, start + 32));
    });

  it('is opened by nothing that was said, nor by the MAC key', () => {
    const [a, b] = [join(), join()];
    make(a, 1);
    meet(a, b);
    expect(opened([macKey, Buffer.alloc(32), ...wireSecrets()])).toBe(0);
    // This proves that the attack is implemented correctly: it works with a receiver's secret.
    expect(opened([b.exchange.receiveKeys.newest.secret])).toBeGreaterThan(0);
  });

  it('is opened by nobody 90 seconds later, not even by the servers themselves', () => {
    const [a, b] = [join(), join()];
    make(a, 1);
    meet(a, b);
    pass(keyLifeMs - leadMs);
    pass(leadMs);
    expect(opened(line.members.map(({ exchange }) => exchange.receiveKeys.newest.secret))).toBe(0);
  });

  /** Simulates a release that encrypts to any live key. If its message arrives, the key ends with the epoch. */
  it('is opened by nobody once the first epoch in it has ended, whichever release wrote it', () => {
    const [a, b] = [join(), join()];
    const { receiveKeys } = a.exchange;
    const receiver = b.exchange.receiveKeys.newest;
    const older = new MessageWriter({ receiveKeys, mac, now: () => a.clock.ms });
    const epochs = [make(a, 1, leadMs + 5_000), make(a, 2)];
    line.said.push(...older.keys([receiver], epochs));
    for (const payload of line.said) b.exchange.receive(payload);
    expect(opened([receiver.secret])).toBe(1);
    pass(leadMs + 4_999);
    expect(receiver.secret).not.toEqual(Buffer.alloc(32));
    expect(b.store.has(1)).toBe(true);
    pass(1);
    expect(receiver.secret).toEqual(Buffer.alloc(32));
    expect([b.store.has(1), b.store.has(2)]).toEqual([false, true]);
  });
});
