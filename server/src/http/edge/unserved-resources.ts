import { DomainError } from '../../core/errors/domain-error.ts';
import { problemType } from '../problems/problem.ts';

/** A resource of the original API that a vault deliberately does not serve. */
interface UnservedResource {
  readonly name: string;
  /** The path prefixes of the resource. `:id` matches any one segment. */
  readonly paths: readonly string[];
  /** The reason why it is not served, or what to use instead. API names are in backticks. */
  readonly why: string;
}

const networks = 'These are services of card networks and wallets that require contracts with their providers.';
const account = 'They belong to an account with the hosted service.';

/** The resources that are not served. The compatibility page of the documentation is generated from this list too. */
export const unservedResources = {
  reactors: {
    name: 'reactors',
    paths: ['/reactors', '/reactor-formulas'],
    why: 'Customer code must not run where card numbers are. Run it elsewhere and send its requests through the proxy.',
  },
  threeds: { name: '3-D Secure', paths: ['/3ds'], why: networks },
  wallets: {
    name: 'wallets',
    paths: ['/apple-pay', '/google-pay', '/connections/apple-pay', '/connections/google-pay'],
    why: networks,
  },
  networkTokens: { name: 'network tokens', paths: ['/network-tokens'], why: networks },
  accountUpdater: { name: 'an account updater', paths: ['/account-updater'], why: networks },
  agentic: { name: 'agentic commerce', paths: ['/agentic'], why: networks },
  enrichments: {
    name: 'enrichments',
    paths: ['/enrichments'],
    why: 'They query other companies about a number. What the number itself reveals is in `card` and `bank` of a token.',
  },
  documents: { name: 'documents', paths: ['/documents'], why: 'Tokens contain JSON; files are not supported.' },
  connections: { name: 'connections of tenants', paths: ['/tenants/self/connections'], why: account },
  securityContact: { name: 'security contacts', paths: ['/tenants/self/security-contact'], why: account },
  merchants: { name: 'merchants', paths: ['/tenants/:id/merchants'], why: account },
  regenerateKey: {
    name: 'a way to regenerate the key of an application',
    paths: ['/applications/:id/regenerate'],
    why: 'Create a second key with `POST /applications/{id}/keys` and delete the first when it is no longer used.',
  },
} as const satisfies Readonly<Record<string, UnservedResource>>;

const prefixes = Object.values<UnservedResource>(unservedResources).flatMap(({ name, paths, why }) =>
  paths.map((path) => ({ segments: path.split('/'), detail: toDetail(name, why) })),
);

/**
 * Returns the error for an unserved path, or undefined for any other path. The list is public, so the error needs no
 * key and reveals nothing about a tenant.
 */
export function findUnserved(url: string): DomainError | undefined {
  const asked = (url.split('?', 1)[0] ?? '').split('/');
  const found = prefixes.find(({ segments }) =>
    segments.every((segment, index) => (segment === ':id' ? asked[index] : asked[index] === segment)),
  );
  return found === undefined ? undefined : new DomainError('not-served', found.detail);
}

function toDetail(name: string, why: string): string {
  return `This vault does not have ${name}. ${why.replaceAll('`', '')} See ${problemType('not-served')}.`;
}
