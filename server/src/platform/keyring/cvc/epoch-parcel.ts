import { hkdfSync } from 'node:crypto';
import { decryptGcm, encryptGcm, gcmTagLength } from '../sealing/aes-gcm.ts';
import { moveSecret, secretLength } from './secret-memory.ts';
import { agree, type KeyPair } from './x25519.ts';

/*
 * A parcel contains an entry for each epoch, encrypted with AES-256-GCM:
 *
 *   offset  length  content
 *        0       4  epoch id, big-endian
 *        4       4  milliseconds from the birth of the receiver's key to the end of the epoch, big-endian
 *        8      32  secret
 *
 * The key is HKDF-SHA256(X25519(one-shot key of the sender, receiver's key), info = label ‖ one-shot public key ‖
 * receiver's public key). The nonce is the sender's message counter. One-shot keys are wiped as soon as their parcels
 * are written, so only the receiver can open a parcel, and only while its own key exists.
 */
const entryLength = 8 + secretLength;
export const parcelEntriesMax = 128;
const label = Buffer.from('strongroom/epochs/1', 'ascii');

export interface ParcelEntry {
  readonly id: number;
  readonly endsAfterMs: number;
  readonly secret: Buffer;
}

/** The context that both sides know from the message that contains the parcel. */
interface ParcelContext {
  readonly counter: number;
  readonly associatedData: Buffer;
}

/** Returns undefined if key agreement with the receiver's key fails. */
export function sealParcel(
  entries: readonly ParcelEntry[],
  keys: { readonly oneShot: KeyPair; readonly receiver: Buffer },
  context: ParcelContext,
): Buffer | undefined {
  const { oneShot, receiver } = keys;
  const key = parcelKey(agree(oneShot.secret, receiver), oneShot.publicKey, receiver);
  if (key === undefined) return undefined;
  const plaintext = Buffer.alloc(entries.length * entryLength);
  for (const [index, { id, endsAfterMs, secret }] of entries.entries()) {
    const start = plaintext.writeUInt32BE(endsAfterMs, plaintext.writeUInt32BE(id, index * entryLength));
    secret.copy(plaintext, start);
  }
  const { ciphertext, tag } = encryptGcm(plaintext, toGcmInput(key, context));
  plaintext.fill(0);
  key.fill(0);
  return Buffer.concat([ciphertext, tag]);
}

export function openParcel(
  parcel: Buffer,
  keys: { readonly oneShotKey: Buffer; readonly receiver: KeyPair },
  context: ParcelContext,
): ParcelEntry[] | undefined {
  const { oneShotKey, receiver } = keys;
  const key = parcelKey(agree(receiver.secret, oneShotKey), oneShotKey, receiver.publicKey);
  if (key === undefined) return undefined;
  const tagStart = parcel.length - gcmTagLength;
  const output = { ciphertext: parcel.subarray(0, tagStart), tag: parcel.subarray(tagStart) };
  const plaintext = decryptGcm(output, toGcmInput(key, context));
  key.fill(0);
  if (plaintext === undefined) return undefined;
  return Array.from({ length: plaintext.length / entryLength }, (_, index) => {
    const entry = plaintext.subarray(index * entryLength, (index + 1) * entryLength);
    return { id: entry.readUInt32BE(0), endsAfterMs: entry.readUInt32BE(4), secret: moveSecret(entry.subarray(8)) };
  });
}

/** Returns how many parcels are needed. Without epochs, one empty parcel is sent. */
export function parcelCount(entries: number): number {
  return Math.max(1, Math.ceil(entries / parcelEntriesMax));
}

export function isParcelLength(length: number): boolean {
  const entries = (length - gcmTagLength) / entryLength;
  return Number.isInteger(entries) && entries >= 0 && entries <= parcelEntriesMax;
}

function parcelKey(shared: Buffer | undefined, oneShotKey: Buffer, receiverKey: Buffer): Buffer | undefined {
  if (shared === undefined) return undefined;
  const info = Buffer.concat([label, oneShotKey, receiverKey]);
  const key = Buffer.from(hkdfSync('sha256', shared, Buffer.alloc(0), info, 32));
  shared.fill(0);
  return key;
}

/**
 * Derives the nonce from the counter. A process uses each counter once, and one-time keys belong to one process, so no
 * key is used with the same nonce twice.
 */
function toGcmInput(key: Buffer, { counter, associatedData }: ParcelContext) {
  const nonce = Buffer.alloc(12);
  nonce.writeUIntBE(counter, 6, 6);
  return { key, nonce, associatedData };
}
