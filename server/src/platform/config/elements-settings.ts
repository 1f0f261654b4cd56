import { loopbackHosts } from '../../core/network/loopback-hosts.ts';
import type { Setting } from './setting.ts';
import { wholeNumber } from './setting-parsers.ts';

export const elementsUrl: Setting<string> = {
  variable: 'STRONGROOM_ELEMENTS_URL',
  expectation:
    'the HTTPS origin that card fields are served from, without a path; HTTP only on this machine, and never the origin of STRONGROOM_PUBLIC_URL',
  example: 'https://elements.example.com',
  parse: parseOrigin,
};

export const elementsPort: Setting<number> = {
  variable: 'STRONGROOM_ELEMENTS_PORT',
  expectation: 'a port from 0 to 65535 on which every request belongs to the origin of the card fields',
  example: '8083',
  parse: wholeNumber(0, 65_535),
};

function parseOrigin(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, hostname, origin, href } = new URL(text);
  const isSafe = protocol === 'https:' || (protocol === 'http:' && loopbackHosts.includes(hostname));
  // An address with a path, a query or credentials would be longer than its origin.
  return isSafe && href === `${origin}/` ? origin : undefined;
}
