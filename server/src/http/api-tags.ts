/** The parts of the API, in the order of the reference. */
export const tags = [
  { name: 'Tokens', description: 'Store, read, change, delete, list and search tokens.' },
  { name: 'Tokenize', description: 'Replace values in a JSON document with tokens, and tokens with their values.' },
  { name: 'Proxy', description: 'Call other services with plaintext in place of token references.' },
  { name: 'Sessions', description: 'Short-lived keys for browsers and devices.' },
  { name: 'Applications', description: 'API clients and what each may do.' },
  { name: 'Application keys', description: 'The secret keys of applications.' },
  { name: 'Permissions', description: 'The permissions that applications can have.' },
  { name: 'Roles', description: 'The roles that members can have.' },
  { name: 'Access', description: 'Why an application may or may not do something.' },
  { name: 'Tenant', description: 'The tenant that the key belongs to, its settings and its usage.' },
  { name: 'Members', description: 'People who belong to the tenant.' },
  { name: 'Invitations', description: 'People invited to join the tenant.' },
  { name: 'Logs', description: 'The audit log.' },
] as const;
