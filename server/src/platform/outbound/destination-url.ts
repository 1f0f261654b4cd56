import { endsInNumber, isHostName } from '../../core/destinations/host-name.ts';
import { DestinationRefusal, type UrlRefusal } from './destination-refusal.ts';

export interface Destination {
  /** In lower case, as it is resolved, verified and listed. */
  readonly host: string;
  readonly port: number;
}

export interface DestinationUrl extends Destination {
  /** As written: both may contain references. The query is without its question mark. */
  readonly path: string;
  readonly query: string;
}

/** Exceptions that the operator has configured. */
export interface UrlPolicy {
  readonly hosts: readonly string[];
  readonly ports: readonly number[];
}

export const standardPort = 443;
const lengthMax = 8_192;
const scheme = 'https://';
/** Names that resolve to internal addresses, if at all. */
const specialNames: ReadonlySet<string> = new Set(
  'alt arpa corp home internal intranet invalid lan local localdomain localhost onion private svc test workgroup'.split(
    ' ',
  ),
);

/**
 * Parses a destination. It does not repair anything: 29 of 110 hostile spellings become `127.0.0.1` in a URL parser,
 * so anything that is not plainly written is refused. The second layer checks what the name resolves to.
 */
export function parseDestinationUrl(text: string, policy: UrlPolicy): DestinationUrl {
  if (text.length > lengthMax) throw refusal('too-long');
  // Spaces may occur in references in path and query, never before them.
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
  const host = name.toLowerCase();
  requireHost(host, policy);
  return { host, port: parsePort(portText, policy) };
}

/** An empty port means the default (RFC 3986 §6.2.3). */
function parsePort(text: string, { ports }: UrlPolicy): number {
  const port = text === '' ? standardPort : /^[1-9]\d{0,4}$/.test(text) ? Number(text) : 0;
  if (port !== standardPort && !ports.includes(port)) throw refusal('port');
  return port;
}

function requireHost(host: string, policy: UrlPolicy): void {
  if (host.includes('%')) throw refusal('not-canonical');
  if (endsInNumber(host.replace(/\.$/, ''))) throw refusal('ip-literal');
  if (host.endsWith('.')) throw refusal('trailing-dot');
  if (!isHostName(host) || !isSameToParser(host)) throw refusal('host-syntax');
  if (policy.hosts.includes(host)) return;
  if (!host.includes('.')) throw refusal('single-label');
  if (specialNames.has(host.split('.').at(-1) ?? '')) throw refusal('special-name');
}

/** The standard parser must see the same host, or other code could see a different one. */
function isSameToParser(host: string): boolean {
  return URL.canParse(`https://${host}/`) && new URL(`https://${host}/`).hostname === host;
}

function refusal(reason: UrlRefusal): DestinationRefusal {
  return new DestinationRefusal(reason);
}
