import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** RFC 6238 with what every authenticator app understands: HMAC-SHA-1, 30 seconds, six digits. */
const stepSeconds = 30;
const digits = 6;
const secretLength = 20;
/** RFC 4648 §6. */
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** A new secret, in the base32 in which people type it into an app. */
export function generateTotpSecret(): string {
  return (
    [...randomBytes(secretLength)]
      .map((byte) => byte.toString(2).padStart(8, '0'))
      .join('')
      .match(/.{5}/g)
      ?.map((bits) => alphabet[Number.parseInt(bits, 2)] ?? '')
      .join('') ?? ''
  );
}

/** What an app reads from a picture or a link. */
export function toTotpUri(secret: string, account: string): string {
  const label = encodeURIComponent(`Strongroom:${account}`);
  return `otpauth://totp/${label}?secret=${secret}&issuer=Strongroom`;
}

/**
 * The time step that a code belongs to; undefined when it is wrong. The steps before and after count as well, for clocks
 * that differ. Whoever keeps the step makes sure that it is taken once (RFC 6238 §5.2).
 */
export function findTotpStep(secret: string, code: string, now: Date): number | undefined {
  const current = Math.floor(now.getTime() / 1_000 / stepSeconds);
  const given = Buffer.from(code.padEnd(digits).slice(0, digits), 'utf8');
  // Each is compared, whichever fits.
  const fitting = [current - 1, current, current + 1].filter((step) => isSame(given, computeTotp(secret, step)));
  return code.length === digits ? fitting[0] : undefined;
}

export function computeTotp(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', decodeBase32(secret)).update(counter).digest();
  // RFC 4226 §5.3: four bytes at an offset that the last byte names.
  const offset = (mac.at(-1) ?? 0) & 0x0f;
  const number = mac.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 10 ** digits).padStart(digits, '0');
}

function isSame(given: Buffer, code: string): boolean {
  const expected = Buffer.from(code, 'utf8');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function decodeBase32(text: string): Buffer {
  const bits = [...text].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
