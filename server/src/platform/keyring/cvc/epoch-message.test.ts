import { createHmac, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsePayload, payloadLengthMax, type Sender, toPayload, writeIds, writeKeysHead } from './epoch-message.ts';
import { parcelEntriesMax } from './epoch-parcel.ts';

const key = randomBytes(32);
const mac = (message: Buffer) => createHmac('sha256', key).update(message).digest();
const sender: Sender = {
  processId: '000102030405060708090a0b0c0d0e0f',
  counter: 2 ** 40,
  publicKey: Buffer.alloc(32, 7),
  keyAgeMs: 329_999,
};
const hello = toPayload(writeIds('hello', sender, [0, 1, 2 ** 32 - 1]), mac);
const keysHead = writeKeysHead(sender, Buffer.alloc(32, 8), Buffer.alloc(32, 9));
const bytesOf = (payload: string) => Buffer.from(payload, 'base64');
const anyMac = (length: number) => () => Buffer.alloc(length);

describe('a message', () => {
  it.each(['hello', 'want'] as const)('%s comes back as it was written', (kind) => {
    for (const ids of [[], [0], [1, 2 ** 32 - 1], Array.from({ length: 1_024 }, (_, id) => id)]) {
      expect(parsePayload(toPayload(writeIds(kind, sender, ids), mac), mac)).toEqual({ kind, sender, ids });
    }
  });

  it('keys comes back as it was written, also the longest', () => {
    for (const entries of [0, 1, parcelEntriesMax]) {
      const parcel = randomBytes(entries * 40 + 16);
      const payload = toPayload(Buffer.concat([keysHead, parcel]), mac);
      expect(payload.length).toBeLessThanOrEqual(payloadLengthMax);
      expect(parsePayload(payload, mac)).toEqual({
        kind: 'keys',
        sender,
        receiverKey: Buffer.alloc(32, 8),
        oneShotKey: Buffer.alloc(32, 9),
        parcel,
        head: keysHead,
      });
    }
  });

  it('has the bytes that its drawing says', () => {
    expect(bytesOf(hello).subarray(0, -32).toString('hex')).toBe(
      `0101${sender.processId}010000000000${'07'.repeat(32)}0005090f0000000000000001ffffffff`,
    );
  });

  it('leaves out ids that would not fit', () => {
    const ids = Array.from({ length: 5_000 }, (_, id) => id);
    expect(parsePayload(toPayload(writeIds('hello', sender, ids), mac), mac)).toMatchObject({
      ids: ids.slice(0, 1_024),
    });
  });

  it('is refused under another key, and when any bit was changed', () => {
    expect(parsePayload(hello, (message) => createHmac('sha256', 'other').update(message).digest())).toBeUndefined();
    const bytes = bytesOf(hello);
    for (let bit = 0; bit < 8 * bytes.length; bit += 1) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8((changed[bit >> 3] ?? 0) ^ (1 << (bit & 7)), bit >> 3);
      expect(parsePayload(changed.toString('base64'), mac)).toBeUndefined();
    }
  });

  it('is refused when it was cut short or prolonged', () => {
    const bytes = bytesOf(hello);
    for (let length = 0; length < bytes.length; length += 1) {
      expect(parsePayload(bytes.subarray(0, length).toString('base64'), mac)).toBeUndefined();
    }
    expect(parsePayload(Buffer.concat([bytes, Buffer.alloc(4)]).toString('base64'), mac)).toBeUndefined();
    expect(parsePayload('A'.repeat(payloadLengthMax + 1), anyMac(32))).toBeUndefined();
  });

  it('is refused without a whole MAC', () => {
    for (const length of [0, 16, 31, 33, 64]) expect(parsePayload(hello, anyMac(length))).toBeUndefined();
  });

  it('is not written when it could not be sent', () => {
    expect(() => toPayload(Buffer.alloc(6_000), mac)).toThrow(RangeError);
  });

  it.each([
    ['of another version', Buffer.concat([Buffer.of(2, 1), Buffer.alloc(58)])],
    ['of an unknown kind', Buffer.concat([Buffer.of(1, 4), Buffer.alloc(58)])],
    ['with half an id', Buffer.concat([Buffer.of(1, 1), Buffer.alloc(60)])],
    ['with too many ids', Buffer.concat([Buffer.of(1, 2), Buffer.alloc(58 + 4 * 1_025)])],
    ['with keys but no parcel', Buffer.concat([Buffer.of(1, 3), Buffer.alloc(58 + 64)])],
    ['with half an epoch', Buffer.concat([Buffer.of(1, 3), Buffer.alloc(58 + 64 + 16 + 20)])],
    ['with too many epochs', Buffer.concat([Buffer.of(1, 3), Buffer.alloc(58 + 64 + 16 + 40 * 129)])],
  ])('%s is refused although its MAC is right', (_, message) => {
    expect(parsePayload(toPayload(message, mac), mac)).toBeUndefined();
  });

  it('can be anything at all without harm, with and without the right MAC', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 9_000, unit: 'binary' }), (text) => {
        expect(parsePayload(text, mac)).toBeUndefined();
      }),
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 5_000 }), fc.constantFrom(1, 2, 3), (bytes, kind) => {
        const message = Buffer.concat([Buffer.of(1, kind), bytes]);
        expect(() => parsePayload(toPayload(message, mac), mac)).not.toThrow();
      }),
      { numRuns: 500 },
    );
  });
});
