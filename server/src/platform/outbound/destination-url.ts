import { endsInNumber, isHostName } from '../../core/destinations/host-name.ts';
import { DestinationRefusal, type UrlRefusal } from './destination-refusal.ts';

export interface Destination {
  /** The host in lower case, in the form in which it is resolved, verified and listed. */
  readonly host: string;
  readonly port: number;
}

export interface DestinationUrl extends Destination {
  /** The path as written. Path and query may contain references. The query has no question mark. */
  readonly path: string;
  readonly query: string;
}

/** Exceptions that the operator has configured. */
export interface UrlPolicy {
  readonly hosts: readonly string[];
  readonly ports: readonly number[];
  readonly ownDestination?: Destination | undefined;
}

export const standardPort = 443;
const lengthMax = 8_192;
const scheme = 'https://';
/** Top-level names that resolve to internal addresses, if at all. */
const specialNames: ReadonlySet<string> = new Set(
  'alt arpa corp home internal intranet invalid lan local localdomain localhost onion private svc test workgroup'.split(
    ' ',
  ),
);

/**
 * Parses a destination without repairing anything. A URL parser turns 29 of 110 hostile spellings into `127.0.0.1`, so
 * any unusual spelling is refused. The second layer checks the addresses that the name resolves to.
 */
export function parseDestinationUrl(text: string, policy: UrlPolicy): DestinationUrl {
  if (text.length > lengthMax) throw refusal('too-long');
  // Spaces may occur in references in the path and the query, but never before the path.
  if (!/^[\x20-\x7e]*$/.test(text) || text.includes('\\')) throw refusal('raw-character');
  if (!text.toLowerCase().startsWith(scheme)) throw refusal(/^https?:\/\/[^/]/i.test(text) ? 'scheme' : 'form');

  const rest = text.slice(scheme.length);
  const end = rest.search(/[/?#]/);
  const authority = end < 0 ? rest : rest.slice(0, end);
  const [target = '', ...fragments] = end < 0 ? [''] : rest.slice(end).split('#');
  if (authority === '') throw refusal('form');
  if (authority.includes(' ')) throw refusal('raw-character');
  if (authority.includes('@')) throw refusal('userinfo');
  if (fragments.length > 0) throw refusal('fragment');

  const question = target.indexOf('?');
  return {
    ...parseAuthority(authority, policy),
    path: question < 0 ? target : target.slice(0, question),
    query: question < 0 ? '' : target.slice(question + 1),
  };
}

function parseAuthority(authority: string, policy: UrlPolicy): Destination {
  if (authority.startsWith('[')) throw refusal('ip-literal');
  const [name = '', portText = '', ...more] = authority.split(':');
  if (more.length > 0) throw refusal('form');
  const destination = { host: name.toLowerCase(), port: parsePort(portText) };
  requirePlainHost(destination.host);
  if (!isSame(destination, policy.ownDestination)) requireCallable(destination, policy);
  return destination;
}

/** Parses a port. An empty port means the default (RFC 3986 §6.2.3), and 0 is not a port. */
function parsePort(text: string): number {
  return text === '' ? standardPort : /^[1-9]\d{0,4}$/.test(text) ? Number(text) : 0;
}

export function isSame(destination: Destination, other: Destination | undefined): boolean {
  return destination.host === other?.host && destination.port === other.port;
}

function requirePlainHost(host: string): void {
  if (host.includes('%')) throw refusal('not-canonical');
  if (endsInNumber(host.replace(/\.$/, ''))) throw refusal('ip-literal');
  if (host.endsWith('.')) throw refusal('trailing-dot');
  if (!isHostName(host) || !isSameToParser(host)) throw refusal('host-syntax');
}

function requireCallable({ host, port }: Destination, { hosts, ports }: UrlPolicy): void {
  if (!hosts.includes(host)) {
    if (!host.includes('.')) throw refusal('single-label');
    if (specialNames.has(host.split('.').at(-1) ?? '')) throw refusal('special-name');
  }
  if (port !== standardPort && !ports.includes(port)) throw refusal('port');
}

/** Returns true if the standard parser sees the same host. Otherwise other code could see a different one. */
function isSameToParser(host: string): boolean {
  return URL.canParse(`https://${host}/`) && new URL(`https://${host}/`).hostname === host;
}

function refusal(reason: UrlRefusal): DestinationRefusal {
  return new DestinationRefusal(reason);
}
