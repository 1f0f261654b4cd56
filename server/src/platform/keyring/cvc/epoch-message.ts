import { timingSafeEqual } from 'node:crypto';
import { isParcelLength } from './epoch-parcel.ts';
import { publicKeyLength } from './x25519.ts';

/*
 * A message between servers, sent as base64:
 *
 *   offset  length  content
 *        0       1  format version, 1
 *        1       1  kind: 1 hello, 2 want, 3 keys
 *        2      16  process id of the sender, random at its start
 *       18       6  counter of the sender, one more with every message, big-endian
 *       24      32  X25519 public key that the sender receives with
 *       56       4  age of that key in milliseconds, big-endian; it dies at 330,000
 *       60       n  hello: ids of the epochs the sender has · want: ids of those it asks for
 *                   keys: 32 bytes receiver's public key · 32 bytes one-shot public key · parcel
 *   60 + n      32  MAC of everything before
 *
 * No message contains a time of day. Times are relative to the creation of the receiver's own key, which the receiver
 * knows exactly. Clocks therefore do not have to agree, and a late or replayed message yields the same time.
 */
const formatVersion = 1;
const kinds = { hello: 1, want: 2, keys: 3 } as const;
const counterStart = 18;
const publicKeyStart = 24;
const ageStart = 56;
const bodyStart = 60;
const parcelStart = bodyStart + 2 * publicKeyLength;
const macLength = 32;
const idsMax = 1_024;
/** The maximum payload length of PostgreSQL. */
export const payloadLengthMax = 7_999;

/** Authenticates messages with a key that only the servers of the installation have. */
export type Mac = (message: Buffer) => Buffer;

export interface Sender {
  /** 32 hexadecimal digits. */
  readonly processId: string;
  readonly counter: number;
  readonly publicKey: Buffer;
  readonly keyAgeMs: number;
}

export type EpochMessage =
  | { readonly kind: 'hello' | 'want'; readonly sender: Sender; readonly ids: readonly number[] }
  | {
      readonly kind: 'keys';
      readonly sender: Sender;
      readonly receiverKey: Buffer;
      readonly oneShotKey: Buffer;
      readonly parcel: Buffer;
      /** The bytes before the parcel, to which the parcel is bound. */
      readonly head: Buffer;
    };

export function writeIds(kind: 'hello' | 'want', sender: Sender, ids: readonly number[]): Buffer {
  const body = Buffer.alloc(4 * Math.min(ids.length, idsMax));
  for (const [index, id] of ids.slice(0, idsMax).entries()) body.writeUInt32BE(id, 4 * index);
  return Buffer.concat([writeHeader(kind, sender), body]);
}

export function writeKeysHead(sender: Sender, receiverKey: Buffer, oneShotKey: Buffer): Buffer {
  return Buffer.concat([writeHeader('keys', sender), receiverKey, oneShotKey]);
}

export function toPayload(message: Buffer, mac: Mac): string {
  const payload = Buffer.concat([message, mac(message)]).toString('base64');
  if (payload.length > payloadLengthMax) throw new RangeError('A message between servers is too long to send.');
  return payload;
}

/** Returns undefined for anything not written by another server of this installation. */
export function parsePayload(payload: string, mac: Mac): EpochMessage | undefined {
  if (payload.length > payloadLengthMax) return undefined;
  const bytes = Buffer.from(payload, 'base64');
  if (bytes.length < bodyStart + macLength) return undefined;
  const macStart = bytes.length - macLength;
  const expected = mac(bytes.subarray(0, macStart));
  if (expected.length !== macLength || !timingSafeEqual(expected, bytes.subarray(macStart))) return undefined;
  return parseMessage(bytes.subarray(0, macStart));
}

/**
 * Parses a message. The format is checked even if the MAC is valid, because a server of another version may have
 * written it.
 */
function parseMessage(message: Buffer): EpochMessage | undefined {
  if (message[0] !== formatVersion) return undefined;
  const sender: Sender = {
    processId: message.toString('hex', 2, counterStart),
    counter: message.readUIntBE(counterStart, 6),
    publicKey: message.subarray(publicKeyStart, ageStart),
    keyAgeMs: message.readUInt32BE(ageStart),
  };
  if (message[1] === kinds.hello) return parseIds('hello', sender, message.subarray(bodyStart));
  if (message[1] === kinds.want) return parseIds('want', sender, message.subarray(bodyStart));
  if (message[1] !== kinds.keys || !isParcelLength(message.length - parcelStart)) return undefined;
  return {
    kind: 'keys',
    sender,
    receiverKey: message.subarray(bodyStart, bodyStart + publicKeyLength),
    oneShotKey: message.subarray(bodyStart + publicKeyLength, parcelStart),
    parcel: message.subarray(parcelStart),
    head: message.subarray(0, parcelStart),
  };
}

function parseIds(kind: 'hello' | 'want', sender: Sender, body: Buffer): EpochMessage | undefined {
  if (body.length % 4 !== 0 || body.length > 4 * idsMax) return undefined;
  return { kind, sender, ids: Array.from({ length: body.length / 4 }, (_, index) => body.readUInt32BE(4 * index)) };
}

function writeHeader(kind: keyof typeof kinds, sender: Sender): Buffer {
  const header = Buffer.alloc(bodyStart);
  header.writeUInt8(formatVersion, 0);
  header.writeUInt8(kinds[kind], 1);
  header.write(sender.processId, 2, 'hex');
  header.writeUIntBE(sender.counter, counterStart, 6);
  sender.publicKey.copy(header, publicKeyStart);
  header.writeUInt32BE(sender.keyAgeMs, ageStart);
  return header;
}
