import type { ServiceCall } from '../../protocol/messages.ts';
import { isRecord, readText } from '../../protocol/parse.ts';
import { bytesOf, encryptText, type PublicKey } from './encrypt-data.ts';
import { RefusedCall } from './refused-call.ts';
import { hasReference, requireIntent } from './token-request.ts';

const requestsMax = 20;
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** What a page wants encrypted: token requests with a type and data, and the key. */
export interface WantedEncryption {
  readonly key: PublicKey;
  /** One request, or several with names. */
  readonly requests: Readonly<Record<string, unknown>>;
  readonly isSingle: boolean;
}

/** Checks the payload of `tokens.encrypt`. */
export function readEncryption({ payload }: ServiceCall): WantedEncryption {
  const { token_requests: requests, public_key_pem, key_id } = isRecord(payload) ? payload : {};
  const [pem, id] = [readText(public_key_pem, 500), readText(key_id, 36)];
  if (!isRecord(requests) || pem === undefined || id === undefined || !uuid.test(id) || bytesOf(pem) === undefined)
    throw new RefusedCall('tokens.encrypt needs tokenRequests, and the publicKeyPem and the keyId of a client key.');
  const isSingle = typeof requests['type'] === 'string';
  const all = isSingle ? [requests] : Object.values(requests);
  if (all.length === 0 || all.length > requestsMax)
    throw new RefusedCall(`tokens.encrypt takes at most ${requestsMax} requests.`);
  for (const request of all) {
    if (!isRecord(request) || typeof request['type'] !== 'string' || hasReference(request['type']))
      throw new RefusedCall('Each request in tokenRequests needs a type and data.');
    requireIntent(request);
  }
  return { key: { id, pem }, requests, isSingle };
}

/**
 * Throws unless the key is one of the vault. A page could otherwise send a key of its own, and decrypt what was typed.
 */
export async function requireKeyOfVault({ id, pem }: PublicKey, pageKeyId: string): Promise<void> {
  const query = new URLSearchParams({ key: pageKeyId, id });
  const response = await fetch(`/elements/encryption-key?${query.toString()}`, {
    credentials: 'omit',
    cache: 'no-store',
    redirect: 'error',
    signal: AbortSignal.timeout(35_000),
  }).catch(() => {
    throw new RefusedCall('The vault could not be reached.');
  });
  const body: unknown = response.ok ? await response.json() : undefined;
  const known = isRecord(body) ? readText(body['public_key_pem'], 500) : undefined;
  const [given, expected] = [bytesOf(pem), known === undefined ? undefined : bytesOf(known)];
  if (expected === undefined || given?.join() !== expected.join())
    throw new RefusedCall('The publicKeyPem is not that of a client key of this vault.');
}

/** Encrypts the data of resolved requests. The page receives nothing else. */
export async function encryptRequests({ key, isSingle }: WantedEncryption, resolved: unknown): Promise<unknown> {
  const one = async (request: unknown) => {
    const { type, data } = isRecord(request) ? request : {};
    return { encrypted: await encryptText(JSON.stringify(data ?? null), key), type };
  };
  if (isSingle || !isRecord(resolved)) return one(resolved);
  const members: [string, unknown][] = [];
  for (const [name, request] of Object.entries(resolved)) members.push([name, await one(request)]);
  return Object.fromEntries(members);
}
