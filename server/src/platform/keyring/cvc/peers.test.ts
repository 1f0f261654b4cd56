import { describe, expect, it } from 'vitest';
import { countersMax, Peers, peersMax } from './peers.ts';
import { receiveMs } from './receive-keys.ts';

const senderOf = (processId: string, counter: number) => {
  return { processId, counter, publicKey: Buffer.alloc(32, 1), keyAgeMs: 0 };
};
const receiverOf = (bornAt: number) => ({ publicKey: Buffer.alloc(32, 1), bornAt });

describe('isNewer', () => {
  it('takes every counter of a process once, and only upwards', () => {
    const peers = new Peers();
    expect([1, 1, 3, 2, 3, 4].map((counter) => peers.isNewer(senderOf('a', counter)))).toEqual([
      true,
      false,
      true,
      false,
      false,
      true,
    ]);
    expect(peers.isNewer(senderOf('b', 1))).toBe(true);
    expect(peers.isNewer(senderOf('c', 0))).toBe(true);
  });

  it('remembers a bounded number of processes, those heard last', () => {
    const peers = new Peers();
    for (let index = 0; index < 10 * countersMax; index += 1) {
      peers.isNewer(senderOf(`process ${index}`, 1));
      peers.isNewer(senderOf('steady', index));
    }
    expect(peers.rememberedCount).toBe(countersMax);
    expect(peers.isNewer(senderOf('steady', 5))).toBe(false);
  });
});

describe('meet', () => {
  it('tells who is new', () => {
    const peers = new Peers();
    expect([peers.meet('a', receiverOf(0)), peers.meet('a', receiverOf(1)), peers.meet('b', receiverOf(0))]).toEqual([
      true,
      false,
      true,
    ]);
    expect(peers.list(1)).toEqual([receiverOf(1), receiverOf(0)]);
  });

  it('takes no more than it has places for, and from nobody the place it has', () => {
    const peers = new Peers();
    for (let index = 0; index < 1_000; index += 1) peers.meet(`process ${index}`, receiverOf(0));
    expect(peers.size).toBe(peersMax);
    expect(peers.meet('process 999', receiverOf(0))).toBe(false);
    expect(peers.meet('process 0', receiverOf(7))).toBe(false);
    expect(peers.list(7)[0]).toEqual(receiverOf(7));
  });

  it('forgets whose key is over', () => {
    const peers = new Peers();
    peers.meet('a', receiverOf(0));
    peers.meet('b', receiverOf(1));
    expect(peers.list(receiveMs)).toEqual([receiverOf(1)]);
    peers.forgetSilent(receiveMs);
    expect(peers.size).toBe(1);
    expect(peers.meet('a', receiverOf(receiveMs))).toBe(true);
  });
});
