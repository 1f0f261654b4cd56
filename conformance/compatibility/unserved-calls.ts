/** Calls that do not work with a vault, and why. */
export interface UnservedCalls {
  /** Names, or what names begin with. */
  readonly prefixes: readonly string[];
  readonly why: string;
  /** 405 where the path exists for another method. Elements refuse their own calls in the page, and send nothing. */
  readonly answer: 404 | 405 | 'none';
}

const notThere: readonly (Omit<UnservedCalls, 'answer'> & { readonly answer?: 405 })[] = [
  {
    prefixes: ['reactors.', 'reactorFormulas.'],
    why: 'Customer code must not run where card numbers are. Run it elsewhere and send its requests through the proxy.',
  },
  {
    prefixes: ['proxies.'],
    why: 'There are no stored proxies. Name the destination in `BT-PROXY-URL`; the `allowed_destinations` of an application limit what it may call.',
  },
  {
    prefixes: ['tokenIntents.'],
    why: 'Create a token with `expiresAt` instead, and remove the expiry with an update.',
  },
  {
    prefixes: ['threeds.', 'applePay.', 'googlePay.', 'googlepay.', 'networkTokens.', 'accountUpdater.', 'agentic.'],
    why: 'These are services of card networks and wallets that require contracts with their providers.',
  },
  {
    prefixes: ['enrichments.'],
    why: 'They query other companies about a number. What the number itself reveals is in `card` and `bank` of a token.',
  },
  { prefixes: ['documents.'], why: 'Tokens contain JSON; files are not supported.' },
  { prefixes: ['keys.'], why: 'The vault encrypts data, not the client.' },
  { prefixes: ['webhooks.'], why: 'The vault does not send notifications. Use the audit log.' },
  {
    prefixes: ['tenants.ownerTransfer'],
    why: '`tenants.members.update` with the role OWNER makes another member the owner.',
    answer: 405,
  },
  {
    prefixes: ['tenants.connections.', 'tenants.securityContact.', 'tenants.merchants.'],
    why: 'They belong to an account with the hosted service.',
  },
  {
    prefixes: ['applications.regenerateKey'],
    why: 'Create a second key with `applicationKeys.create` and delete the first when it is no longer used.',
  },
];

const refusedByElements: UnservedCalls = {
  prefixes: ['client', 'client.', 'tokens.encrypt', 'device.'],
  why: 'Elements call the vault and nothing else, leave encryption to it, and collect nothing about the device. Use `proxy`, or call your own server.',
  answer: 'none',
};

export const unservedCalls: readonly UnservedCalls[] = [
  ...notThere.map((calls) => ({ answer: 404 as const, ...calls })),
  refusedByElements,
];

/** Undefined for a call that is answered. */
export function findUnserved(call: string): UnservedCalls | undefined {
  return unservedCalls.find(({ prefixes }) =>
    prefixes.some((prefix) => (prefix.endsWith('.') ? call.startsWith(prefix) : call === prefix)),
  );
}
