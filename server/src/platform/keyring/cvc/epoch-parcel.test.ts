import { createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { isParcelLength, openParcel, parcelCount, parcelEntriesMax, sealParcel } from './epoch-parcel.ts';
import { makeSecret } from './secret-memory.ts';
import { agree, makeKeyPair } from './x25519.ts';

const oneShot = makeKeyPair();
const receiver = makeKeyPair();
const context = { counter: 5, associatedData: Buffer.from('head') };
const entriesOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ id: 2 ** 32 - 1 - index, endsAfterMs: index, secret: makeSecret() }));
const seal = (entries = entriesOf(2)) =>
  sealParcel(entries, { oneShot, receiver: receiver.publicKey }, context) ?? Buffer.alloc(0);
const open = (parcel: Buffer, change: { counter?: number; associatedData?: Buffer } = {}) =>
  openParcel(parcel, { oneShotKey: oneShot.publicKey, receiver }, { ...context, ...change });

describe('a parcel', () => {
  it.each([0, 1, 14, parcelEntriesMax])('brings %i epochs to the receiver', (count) => {
    const entries = entriesOf(count);
    const parcel = seal(entries);
    expect(isParcelLength(parcel.length)).toBe(true);
    expect(open(parcel)).toEqual(entries);
  });

  it('is what its drawing says: X25519, HKDF-SHA256, AES-256-GCM under the counter', () => {
    const [entry] = entriesOf(1);
    const parcel = seal(entry === undefined ? [] : [entry]);
    const info = Buffer.concat([Buffer.from('strongroom/epochs/1'), oneShot.publicKey, receiver.publicKey]);
    const shared = agree(receiver.secret, oneShot.publicKey) ?? Buffer.alloc(0);
    const key = Buffer.from(hkdfSync('sha256', shared, '', info, 32));
    const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from('000000000000000000000005', 'hex'));
    decipher.setAAD(context.associatedData);
    decipher.setAuthTag(parcel.subarray(40));
    const plaintext = Buffer.concat([decipher.update(parcel.subarray(0, 40)), decipher.final()]);
    expect(plaintext.readUInt32BE(0)).toBe(entry?.id);
    expect(plaintext.readUInt32BE(4)).toBe(entry?.endsAfterMs);
    expect(plaintext.subarray(8)).toEqual(entry?.secret);
  });

  it('opens for nobody else', () => {
    const parcel = seal();
    const stranger = makeKeyPair();
    const keys = [
      { oneShotKey: oneShot.publicKey, receiver: stranger },
      { oneShotKey: oneShot.publicKey, receiver: { ...receiver, secret: stranger.secret } },
      { oneShotKey: oneShot.publicKey, receiver: { ...receiver, publicKey: stranger.publicKey } },
      { oneShotKey: stranger.publicKey, receiver },
      { oneShotKey: Buffer.alloc(32), receiver },
    ];
    for (const wrong of keys) expect(openParcel(parcel, wrong, context)).toBeUndefined();
  });

  it('opens in its own message only', () => {
    const parcel = seal();
    expect(open(parcel, { counter: 6 })).toBeUndefined();
    expect(open(parcel, { associatedData: Buffer.from('heat') })).toBeUndefined();
  });

  it('does not open when any bit of it was changed or a part is missing', () => {
    const parcel = seal();
    for (let bit = 0; bit < 8 * parcel.length; bit += 1) {
      const changed = Buffer.from(parcel);
      changed.writeUInt8((changed[bit >> 3] ?? 0) ^ (1 << (bit & 7)), bit >> 3);
      expect(open(changed)).toBeUndefined();
    }
    for (let length = 0; length < parcel.length; length += 1) expect(open(parcel.subarray(0, length))).toBeUndefined();
  });

  it('is not written for a key of low order', () => {
    expect(sealParcel(entriesOf(1), { oneShot, receiver: Buffer.alloc(32) }, context)).toBeUndefined();
  });

  it('shows nothing of the secrets, and leaves them to their owner', () => {
    const secret = Buffer.from(randomBytes(32));
    const parcel = seal([{ id: 1, endsAfterMs: 1, secret }]);
    expect(parcel.includes(secret.subarray(0, 8))).toBe(false);
    expect(secret).not.toEqual(Buffer.alloc(32));
  });
});

describe('the length of a parcel', () => {
  it.each([0, 15, 17, 55, 57, 16 + 40 * (parcelEntriesMax + 1), -24, 16.5])('is not %d', (length) => {
    expect(isParcelLength(length)).toBe(false);
  });

  it.each([
    [0, 1],
    [1, 1],
    [parcelEntriesMax, 1],
    [parcelEntriesMax + 1, 2],
    [896, 7],
  ])('splits %i epochs into %i parcels', (entries, parcels) => {
    expect(parcelCount(entries)).toBe(parcels);
  });
});
