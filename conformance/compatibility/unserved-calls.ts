/** Calls that do not work with a vault, and why. */
export interface UnservedCalls {
  /** Names, or what names begin with. */
  readonly prefixes: readonly string[];
  readonly why: string;
  /** Nothing is sent to the vault by what lives in pages of somebody else. */
  readonly answer: 404 | 'none';
}

const notThere: readonly Omit<UnservedCalls, 'answer'>[] = [
  {
    prefixes: ['reactors.', 'reactorFormulas.'],
    why: 'Code of customers does not run where card numbers are. Run it outside and send its requests through the proxy.',
  },
  {
    prefixes: ['proxies.'],
    why: 'There are no stored proxies. Name the destination in `BT-PROXY-URL`; `allowed_destinations` of an application says which it may call.',
  },
  { prefixes: ['tokenIntents.'], why: 'Create a token with an `expiresAt` instead; an update takes the end away.' },
  {
    prefixes: ['threeds.', 'applePay.', 'googlePay.', 'googlepay.', 'networkTokens.', 'accountUpdater.', 'agentic.'],
    why: 'These are services of card networks and wallets, under contracts with whoever offers them.',
  },
  {
    prefixes: ['enrichments.'],
    why: 'They ask other companies about a number. What can be told from the number itself is in `card` and `bank` of a token.',
  },
  { prefixes: ['documents.'], why: 'Tokens hold JSON; files are not stored.' },
  { prefixes: ['keys.'], why: 'Data is encrypted by the vault, not by its clients.' },
  { prefixes: ['webhooks.'], why: 'Nothing is sent out by itself. The audit log says what happened.' },
  {
    prefixes: ['tenants.ownerTransfer'],
    why: '`tenants.members.update` with the role OWNER makes another member the owner.',
  },
  {
    prefixes: ['tenants.connections.', 'tenants.securityContact.', 'tenants.merchants.'],
    why: 'They belong to the account with the hosted service.',
  },
  {
    prefixes: ['applications.regenerateKey'],
    why: 'Create a second key with `applicationKeys.create` and delete the first when nothing uses it any more.',
  },
];

const hostedElements: UnservedCalls = {
  prefixes: ['createElement', 'elements', 'client'],
  why: 'Elements are pages that their maker hosts and that talk to its own service.',
  answer: 'none',
};

export const unservedCalls: readonly UnservedCalls[] = [
  ...notThere.map((calls) => ({ ...calls, answer: 404 as const })),
  hostedElements,
];

/** Undefined for a call that is answered. */
export function findUnserved(call: string): UnservedCalls | undefined {
  return unservedCalls.find(({ prefixes }) =>
    prefixes.some((prefix) => (prefix.endsWith('.') ? call.startsWith(prefix) : call === prefix)),
  );
}
