import type { FastifyRequest } from 'fastify';
import { DomainError } from '../core/errors/domain-error.ts';

/** RFC 9110 §7.2 with a host name or address as they are in use, and a port or none. */
const hostValue = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/;

/**
 * Why the request cannot be said to be for one host; undefined where it can. Of two `Host` headers a proxy in front may
 * read the one and we the other, so that what it allows for one name is done under another (RFC 9112 §3.2). A target in
 * absolute form names a host as well, and has to name the same.
 */
export function findTargetProblem({
  rawHeaders,
  httpVersion,
  url = '',
}: FastifyRequest['raw']): DomainError | undefined {
  const hosts = listHosts(rawHeaders);
  if (hosts.length > 1) return malformed('The request has more than one Host header.');
  const [host] = hosts;
  if (host === undefined && httpVersion === '1.1') return malformed('The request has no Host header.');
  if (host !== undefined && !hostValue.test(host)) return malformed('The Host header is not a host name.');
  if (url.startsWith('/') || url === '*') return undefined;
  if (host === undefined || !isForHost(url, host)) {
    return malformed('The request target is neither a path nor a URL on the host that the Host header names.');
  }
  return undefined;
}

/** Names of headers stand at even places, each followed by its value. */
function listHosts(rawHeaders: readonly string[]): string[] {
  const hosts: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') hosts.push(rawHeaders[index + 1] ?? '');
  }
  return hosts;
}

function isForHost(target: string, host: string): boolean {
  const [, authority = ''] = /^https?:\/\/([^/?#]*)/i.exec(target) ?? [];
  return authority !== '' && authority.toLowerCase() === host.toLowerCase();
}

function malformed(message: string): DomainError {
  return new DomainError('malformed-request', message);
}
