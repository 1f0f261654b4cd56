import { type AddressRange, isInRange } from './address-range.ts';
import type { AddressBytes } from './ip-address.ts';
import { parsePeerAddress } from './peer-address.ts';

/** More hops than any installation has, so that a header of sixteen thousand characters is not read to the end. */
const hopsMax = 20;

/**
 * The address of the client. It is the peer of the connection, unless that is a proxy of the operator: then it is the
 * nearest address in X-Forwarded-For that is not one of those. Anything that a client wrote into the header itself is
 * further left and is never reached.
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
    // Anything but an address was not written by a trusted proxy: the last trusted address counts.
    if (address === undefined) return client;
    client = text;
    if (!isTrusted(address)) return client;
  }
  return client;
}

/** Some proxies add the port: `203.0.113.7:4711`, `[2001:db8::7]:4711`. */
function withoutPort(hop: string): string {
  if (hop.startsWith('[')) return hop.slice(1, Math.max(hop.indexOf(']'), 1));
  const [address = '', port, ...rest] = hop.split(':');
  return port !== undefined && rest.length === 0 ? address : hop;
}
