import { createPublicKey, constants, verify } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { untilTrue } from '../harness/deadline.ts';
import type { ReceivedMessage } from '../harness/event-receiver.ts';
import { EventVault } from '../harness/event-vault.ts';

let events: EventVault;
beforeAll(async () => {
  events = await EventVault.start();
});
afterAll(() => events.stop());

/** Stores a token and returns the message about it, as the endpoint at this path received it. */
async function receive(path: string): Promise<ReceivedMessage> {
  const before = events.receiver.at(path).length;
  await events.proxy.store('signed', { containers: ['/pci/'] });
  await untilTrue(() => events.receiver.at(path).length > before, { waitingFor: 'a message' });
  const message = events.receiver.at(path).at(-1);
  if (message === undefined) throw new Error('No message has arrived.');
  return message;
}

/** Returns the bytes once for each of their bits, with that bit flipped. */
function flipped(bytes: Buffer): Buffer[] {
  return Array.from({ length: bytes.length * 8 }, (_, bit) => {
    const changed = Buffer.from(bytes);
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    return changed;
  });
}

const signed = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;
type Headers = Record<(typeof signed)[number], string>;
const headersOf = ({ headers }: ReceivedMessage): Headers =>
  Object.fromEntries(signed.map((name) => [name, String(headers[name])])) as Headers;

function isAccepted(secret: string, headers: Headers, body: Buffer | string): boolean {
  try {
    new Webhook(secret).verify(body, headers);
    return true;
  } catch {
    return false;
  }
}

describe('the signature of Standard Webhooks', () => {
  it.each([
    ['an event', 1],
    ['a batch', 100],
  ])('of %s is verified by the library of that name, and each flipped bit is refused', async (name, size) => {
    const path = `/signed/${encodeURIComponent(name)}`;
    const { signing_secret: secret } = await events.subscribe({ url: `${events.url}${path}`, batch_size: size });
    const message = await receive(path);
    const headers = headersOf(message);
    const body = Buffer.from(message.body);
    expect(isAccepted(secret, headers, body)).toBe(true);
    expect(flipped(body).filter((changed) => isAccepted(secret, headers, changed))).toEqual([]);
    for (const field of signed) {
      const changes = flipped(Buffer.from(headers[field], 'latin1')).map((changed) => changed.toString('latin1'));
      expect(changes.filter((text) => isAccepted(secret, { ...headers, [field]: text }, body))).toEqual([]);
    }
  });

  it('is made with both secrets during a rotation, and with the new one alone after it', async () => {
    const { id, signing_secret: first } = await events.subscribe({ url: `${events.url}/rotated` });
    const { body } = await events.manage('POST', `/webhooks/${id}/rotate-secret`);
    const { signing_secret: second, previous_secret_expires_at: until } = body as Record<string, string>;
    expect(Date.parse(until ?? '') - Date.now()).toBeGreaterThan(23 * 3_600_000);
    const during = await receive('/rotated');
    for (const secret of [first, second ?? '']) expect(isAccepted(secret, headersOf(during), during.body)).toBe(true);
    const third = ((await events.manage('POST', `/webhooks/${id}/rotate-secret`)).body as Record<string, string>)[
      'signing_secret'
    ];
    const after = await receive('/rotated');
    const accepted = [first, second ?? '', third ?? ''].map((one) => isAccepted(one, headersOf(after), after.body));
    expect(accepted).toEqual([false, true, true]);
  });
});

describe('BT-SIGNATURE', () => {
  it('is absent unless the endpoint asks for it', async () => {
    await events.subscribe({ url: `${events.url}/plain` });
    expect(Object.keys((await receive('/plain')).headers)).not.toContain('bt-signature');
  });

  it('is verified with the published key over the canonical body, and each flipped bit is refused', async () => {
    await events.subscribe({ url: `${events.url}/compatible`, bt_signature: true });
    const { headers, body } = await receive('/compatible');
    expect(headers['bt-signature-version']).toBe('v1');
    const key = createPublicKey((await events.vault.request('GET', '/webhooks/keys/v1')).text);
    const padding = { key, padding: constants.RSA_PKCS1_PSS_PADDING };
    const isSigned = (bytes: Buffer, signature: Buffer) => verify('sha256', bytes, padding, signature);
    const [bytes, signature] = [Buffer.from(body), Buffer.from(String(headers['bt-signature']), 'base64')];
    expect(isSigned(bytes, signature)).toBe(true);
    // Receivers of the hosted service parse the body and write it again with sorted names.
    expect(JSON.stringify(sortedCopy(JSON.parse(body)))).toBe(body);
    expect(flipped(bytes).filter((changed) => isSigned(changed, signature))).toEqual([]);
    expect(flipped(signature).filter((changed) => isSigned(bytes, changed))).toEqual([]);
  });
});

function sortedCopy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedCopy);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, member]): [string, unknown] => [name, sortedCopy(member)]);
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
