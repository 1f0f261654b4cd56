/** The parts of the API, in a sensible reading order. */
export const tags = [
  {
    name: 'Tokens',
    description:
      'A token stands for a sensitive value. Create one, and store its id where you used to store the value; what a request gets to see of the value depends on its key.',
  },
  { name: 'Lists and search', description: 'Find tokens by type, container, metadata, fingerprint or indexed data.' },
  {
    name: 'Tokenize',
    description: 'Replace values in a JSON document with tokens, and references to tokens with their values.',
  },
  {
    name: 'Token intents',
    description: 'Keep a value for a day, use it through the proxy, and make it a token if it is worth keeping.',
  },
  { name: 'Proxy', description: 'Call other services with plaintext in place of references to tokens.' },
  {
    name: 'Stored proxies',
    description:
      'Proxies with a fixed destination that change requests and responses, such as a route for inbound cards.',
  },
  { name: 'Sessions', description: 'Short-lived keys for browsers and devices.' },
  { name: 'Client keys', description: 'Key pairs with which browsers, apps and servers encrypt data for the vault.' },
  {
    name: 'Applications',
    description: 'API clients and what each may do. Managed with the key of a management application.',
  },
  { name: 'Application keys', description: 'The secret keys of applications.' },
  { name: 'Permissions and roles', description: 'What applications and members can be given.' },
  { name: 'Access', description: 'Why a key may or may not do something, and who can see a token.' },
  { name: 'Tenant', description: 'The tenant that the key belongs to, its settings and its usage.' },
  {
    name: 'Retention',
    description: 'How long tokens are kept, what a legal hold keeps regardless, and erasure with a signed receipt.',
  },
  { name: 'Members', description: 'People who belong to the tenant.' },
  { name: 'Invitations', description: 'People who have been invited to join the tenant.' },
  { name: 'Logs', description: 'The audit log: what was done, by whom, and who saw what.' },
  { name: 'Webhooks', description: 'Endpoints that receive events of the tenant about a second after they happen.' },
] as const;
export type TagName = (typeof tags)[number]['name'];
