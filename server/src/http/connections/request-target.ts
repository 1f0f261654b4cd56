import type { FastifyRequest } from 'fastify';
import { DomainError } from '../../core/errors/domain-error.ts';

/** RFC 9110 §7.2: a host name or address, with an optional port. */
const hostValue = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/;

/**
 * Returns the error for an ambiguous host, or undefined if it is not ambiguous. With two `Host` headers, a proxy in
 * front may read one and the vault the other, so that a request allowed for one name is executed under another (RFC
 * 9112 §3.2). A target in absolute form names a host too, which must be the same. `target` is the target as sent, even
 * if the request was routed by another path.
 */
export function findTargetProblem(
  { rawHeaders, httpVersion }: FastifyRequest['raw'],
  target: string,
): DomainError | undefined {
  const hosts = listHosts(rawHeaders);
  if (hosts.length > 1) return malformed('The request has more than one Host header.');
  const [host] = hosts;
  if (host === undefined && httpVersion === '1.1') return malformed('The request has no Host header.');
  if (host !== undefined && !hostValue.test(host)) return malformed('The Host header is not a host name.');
  if (target.startsWith('/') || target === '*') return undefined;
  if (host === undefined || !isForHost(target, host)) {
    return malformed('The request target is neither a path nor a URL on the host that the Host header names.');
  }
  return undefined;
}

/** Lists the values of all `Host` headers. Header names are at even positions, each followed by its value. */
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
