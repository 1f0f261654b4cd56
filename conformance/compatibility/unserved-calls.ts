import { unservedResources } from '../../server/src/http/edge/unserved-resources.ts';

/** Calls that do not work with a vault, with the reason. */
export interface UnservedCalls {
  /** Full names, or prefixes of names if they end with a dot. */
  readonly prefixes: readonly string[];
  readonly why: string;
  /**
   * The status is 405 if the path exists for another method. It is `none` for calls that elements reject in the page
   * without sending them.
   */
  readonly answer: 404 | 405 | 'none';
}

const { reactors, threeds, enrichments, documents, connections, regenerateKey } = unservedResources;

const notThere: readonly (Omit<UnservedCalls, 'answer'> & { readonly answer?: 405 })[] = [
  { prefixes: ['reactors.', 'reactorFormulas.'], why: reactors.why },
  {
    prefixes: ['threeds.', 'applePay.', 'googlePay.', 'googlepay.', 'networkTokens.', 'accountUpdater.', 'agentic.'],
    why: threeds.why,
  },
  { prefixes: ['enrichments.'], why: enrichments.why },
  { prefixes: ['documents.'], why: documents.why },
  {
    prefixes: ['tenants.ownerTransfer'],
    why: '`tenants.members.update` with the role OWNER makes another member the owner.',
    answer: 405,
  },
  {
    prefixes: ['tenants.connections.', 'tenants.securityContact.', 'tenants.merchants.'],
    why: connections.why,
  },
  { prefixes: ['applications.regenerateKey'], why: regenerateKey.why },
];

const refusedByElements: UnservedCalls = {
  prefixes: ['client', 'client.', 'device.'],
  why: 'Elements call the vault and nothing else, and collect nothing about the device. Use `proxy`, or call your own server.',
  answer: 'none',
};

export const unservedCalls: readonly UnservedCalls[] = [
  ...notThere.map((calls) => ({ answer: 404 as const, ...calls })),
  refusedByElements,
];

/** Returns undefined for a call that is served. */
export function findUnserved(call: string): UnservedCalls | undefined {
  return unservedCalls.find(({ prefixes }) =>
    prefixes.some((prefix) => (prefix.endsWith('.') ? call.startsWith(prefix) : call === prefix)),
  );
}
