import { createHmac, timingSafeEqual } from 'node:crypto';

/** Returns true if the vault sent this body with these headers, in the last five minutes. */
export function isFromVault(secret: string, headers: Record<string, string>, body: string): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures = '' } = headers;
  const isRecent = Math.abs(Date.now() / 1_000 - Number(timestamp)) <= 300;
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const expected = Buffer.from(`v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`);
  const isExpected = (text: Buffer) => text.length === expected.length && timingSafeEqual(text, expected);
  return isRecent && signatures.split(' ').some((text) => isExpected(Buffer.from(text)));
}
