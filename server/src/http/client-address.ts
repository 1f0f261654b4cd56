import type { FastifyRequest } from 'fastify';
import { findClientAddress } from '../core/network/forwarded-client.ts';
import type { AddressRange } from '../core/network/address-range.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Where it comes from: the connection, or what a trusted proxy says. */
    readonly clientAddress: string;
  }
}

/** Where a request comes from: what limits count by, and what the audit log says. */
export type ClientAddressFinder = (request: FastifyRequest) => string;

/** The address of the connection, unless the operator has named proxies whose word is taken. */
export function createClientAddressFinder(trustedProxies: readonly AddressRange[]): ClientAddressFinder {
  return ({ headers, socket }) => {
    // Gone once the connection is: nothing of such a request is answered any more.
    const peer = socket.remoteAddress ?? 'unknown';
    const forwardedFor = headers['x-forwarded-for'];
    return findClientAddress(peer, Array.isArray(forwardedFor) ? forwardedFor.join(',') : forwardedFor, trustedProxies);
  };
}
