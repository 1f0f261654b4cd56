import type { FastifyRequest } from 'fastify';
import { toClientNetwork } from '../core/network/client-network.ts';
import { findClientAddress } from '../core/network/forwarded-client.ts';
import type { AddressRange } from '../core/network/address-range.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Where it comes from: the connection, or what a trusted proxy says. */
    readonly clientAddress: string;
  }
}

/** Where a request comes from: what the audit log says, and what limits count by. */
export interface RequestClient {
  readonly address: string;
  readonly network: string;
}

export type ClientFinder = (request: Pick<FastifyRequest, 'headers' | 'socket'>) => RequestClient;

interface KnownClient extends RequestClient {
  readonly forwardedFor: string | undefined;
}

/** The address of the connection, unless the operator has named proxies whose word is taken. */
export function createClientFinder(trustedProxies: readonly AddressRange[]): ClientFinder {
  // Several parts of a request ask, and most requests of a connection come from one client.
  const known = new WeakMap<object, KnownClient>();
  return ({ headers, socket }) => {
    const header = headers['x-forwarded-for'];
    const forwardedFor = Array.isArray(header) ? header.join(',') : header;
    const last = known.get(socket);
    if (last !== undefined && last.forwardedFor === forwardedFor) return last;
    // Gone once the connection is: nothing of such a request is answered any more.
    const address = findClientAddress(socket.remoteAddress ?? 'unknown', forwardedFor, trustedProxies);
    const client = { address, network: toClientNetwork(address), forwardedFor };
    known.set(socket, client);
    return client;
  };
}
