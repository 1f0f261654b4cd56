import { type AddressRange, isInRange } from './address-range.ts';
import type { AddressBytes } from './ip-address.ts';
import { parsePeerAddress } from './peer-address.ts';

/**
 * This is more hops than any installation has. It keeps a header of sixteen thousand characters from being read to the
 * end.
 */
const hopsMax = 20;

/**
 * Returns the address of the client. It is the peer of the connection, unless the peer is one of the operator's
 * proxies. In that case it is the nearest address in X-Forwarded-For that is not such a proxy. Anything that a client
 * wrote into the header itself is further to the left and is never reached.
 */
export function findClientAddress(
  peer: string,
  forwardedFor: string | undefined,
  trusted: readonly AddressRange[],
): string {
  if (trusted.length === 0 || forwardedFor === undefined) return peer;
  const isTrusted = (address: AddressBytes) => trusted.some((range) => isInRange(address, range));
  const peerAddress = parsePeerAddress(peer);
  if (peerAddress === undefined || !isTrusted(peerAddress)) return peer;

  let client = peer;
  for (const hop of forwardedFor.split(',').toReversed().slice(0, hopsMax)) {
    const text = withoutPort(hop.trim());
    const address = parsePeerAddress(text);
    // A trusted proxy only writes addresses. Anything else came from a client, so the last trusted address counts.
    if (address === undefined) return client;
    client = text;
    if (!isTrusted(address)) return client;
  }
  return client;
}

/** Removes the port that some proxies add: `203.0.113.7:4711`, `[2001:db8::7]:4711`. */
function withoutPort(hop: string): string {
  if (hop.startsWith('[')) return hop.slice(1, Math.max(hop.indexOf(']'), 1));
  const [address = '', port, ...rest] = hop.split(':');
  return port !== undefined && rest.length === 0 ? address : hop;
}
