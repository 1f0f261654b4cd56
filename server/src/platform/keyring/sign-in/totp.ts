import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { decodeBase32, encodeBase32 } from '../../../core/identity/base32.ts';

/** The RFC 6238 parameters that every authenticator app supports: HMAC-SHA-1, 30 seconds, six digits. */
const stepSeconds = 30;
const digits = 6;
const secretLength = 20;

/** Generates a secret in base32 for typing into an app. */
export function generateTotpSecret(): string {
  return encodeBase32(randomBytes(secretLength));
}

/** Returns the URI that an app reads from a QR code or a link. */
export function toTotpUri(secret: string, account: string): string {
  const label = encodeURIComponent(`Strongroom:${account}`);
  return `otpauth://totp/${label}?secret=${secret}&issuer=Strongroom`;
}

/**
 * Returns the time step of a code, or undefined if the code is wrong. The steps before and after the current one are
 * accepted too, because clocks differ. The caller stores the step to ensure that it is used once (RFC 6238 §5.2).
 */
export function findTotpStep(secret: string, code: string, now: Date): number | undefined {
  const current = Math.floor(now.getTime() / 1_000 / stepSeconds);
  const given = Buffer.from(code.padEnd(digits).slice(0, digits), 'utf8');
  // All three steps are compared, even if one of them has already matched.
  const fitting = [current - 1, current, current + 1].filter((step) => isSame(given, computeTotp(secret, step)));
  return code.length === digits ? fitting[0] : undefined;
}

export function computeTotp(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', decodeBase32(secret) ?? '')
    .update(counter)
    .digest();
  // The number is taken from four bytes at an offset given by the last byte (RFC 4226 §5.3).
  const offset = (mac.at(-1) ?? 0) & 0x0f;
  const number = mac.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 10 ** digits).padStart(digits, '0');
}

function isSame(given: Buffer, code: string): boolean {
  const expected = Buffer.from(code, 'utf8');
  return given.length === expected.length && timingSafeEqual(given, expected);
}
