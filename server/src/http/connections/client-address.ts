import type { FastifyRequest } from 'fastify';
import { toClientNetwork } from '../../core/network/client-network.ts';
import { findClientAddress } from '../../core/network/forwarded-client.ts';
import { parsePeerAddress, toAddressText } from '../../core/network/peer-address.ts';
import { type AddressRange, isInRange } from '../../core/network/address-range.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The client address, taken from the connection or from a trusted proxy. */
    readonly clientAddress: string;
  }
}

/** The client address of a request, for the audit log and for rate limits. */
export interface RequestClient {
  readonly address: string;
  readonly network: string;
  /** True for a client in one of the operator's own networks. */
  readonly isOwn: boolean;
}

export type ClientFinder = (request: Pick<FastifyRequest, 'headers' | 'socket'>) => RequestClient;

interface KnownClient extends RequestClient {
  readonly forwardedFor: string | undefined;
}

/**
 * Returns a finder of client addresses. It uses the address of the connection, unless that is a proxy that the operator
 * trusts.
 */
export function createClientFinder(
  trustedProxies: readonly AddressRange[],
  ownNetworks: readonly AddressRange[] = [],
): ClientFinder {
  // The result is cached: several parts of a request need it, and most requests on a connection come from one client.
  const known = new WeakMap<object, KnownClient>();
  return ({ headers, socket }) => {
    const header = headers['x-forwarded-for'];
    const forwardedFor = Array.isArray(header) ? header.join(',') : header;
    const last = known.get(socket);
    if (last !== undefined && last.forwardedFor === forwardedFor) return last;
    // The address is absent if the connection has closed. Such a request gets no response.
    const found = findClientAddress(socket.remoteAddress ?? 'unknown', forwardedFor, trustedProxies);
    const address = toAddressText(found) ?? found;
    const isOwn = isInAny(address, ownNetworks);
    const client = { address, network: toClientNetwork(address), isOwn, forwardedFor };
    known.set(socket, client);
    return client;
  };
}

function isInAny(address: string, ranges: readonly AddressRange[]): boolean {
  if (ranges.length === 0) return false;
  const bytes = parsePeerAddress(address);
  return bytes !== undefined && ranges.some((range) => isInRange(bytes, range));
}
