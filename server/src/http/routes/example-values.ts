/** Values that the vault chooses, for the examples of the reference. One name means the same thing in all examples. */
export const exampleIds = {
  tenant: '3c8f9a52-6f0e-4c39-8a7d-52e0f1b4c6d8',
  /** The application that sends the request of an example. */
  caller: 'e1a94f3d-0b7c-4a52-9d86-7c5e2f13b0a4',
  callerKey: '9d2b61c7-5e0f-4b38-8c14-a3f7d6e90b25',
  /** The management application that created the subject of an example. */
  manager: '94c7b2e5-3f60-4d1a-8e9b-d05a7c16f3e8',
  /** An application that reads plaintext. */
  revealing: 'd6e09f18-b4c3-4a75-92d7-3e8b5f0c61a4',
  revealingKey: '58b1d7e4-9c26-4f03-a8e5-7d0f3b92c614',
  /** The application that an example is about. */
  application: 'b7d0e6f1-24c9-4f83-9a5e-08d1c7b3f692',
  applicationKey: '40f6c2b9-8d17-4e5a-b3c0-6e9f1a7d2c58',
  card: 'd4e5f6a7-1b2c-4d3e-8f90-a1b2c3d4e5f6',
  person: '6a1c9e30-7f4b-4d82-b5e6-3c0d9f8a2b71',
  /** The resource that the request of an example creates. */
  created: '2f9b7c14-6d3e-4a80-95c1-e8f0a7b6d352',
  createdKey: '81c5d3e7-0a9f-4b62-8e4d-f7a2c6b01935',
  /** The public application that an example creates. */
  webShop: '3e7a5c92-84f1-4d06-b2c9-60d8e1f7a4b5',
  webShopKey: 'c5d80b17-2f9e-4a63-97e4-1b6f3d0c8a29',
  owner: '5b3e8d70-c1f4-4926-a7d8-9e0c2b6f4a13',
  ownerUser: 'c82f0a6d-9b35-4e17-8d4a-1f7e6c3b5902',
  member: '7e6d5c4b-3a29-4f18-9e07-d6c5b4a39281',
  user: 'a9f8e7d6-c5b4-4a39-8281-706f5e4d3c2b',
  invitation: '1d7f3b95-e2a8-4c06-b94f-5a8e0d6c7132',
  /** The approval request of an example. */
  approval: '6c1e9b40-57d2-4f8a-a3e6-90b7c5d2f814',
  proxy: 'e53b07d9-8c42-4f16-b5a7-29d0f4c86e13',
  retentionRule: '5d82c0f7-4e19-4b36-a7f8-c1e60d94b2a3',
  legalHold: 'e47a13b9-60d5-4f82-9c3b-7a5f1d08e6c4',
  erasure: '0b9e5c72-d836-4a1f-8e47-f25c9130ab6d',
  /** An endpoint that receives events. */
  webhook: '8b2d6f40-19c7-4e53-a08f-d61e7c93b5a2',
  /** A request to that endpoint. */
  delivery: '0195d2c4-7a41-7b0e-8f52-3d6a9c0e17b4',
  session: 'f30a8c6e-5d17-4b92-8e3f-c7b1a4d90562',
  tokenIntent: '6c1e94d7-3b58-4fa2-9d06-e7a4f2b8c315',
  clientKey: 'a27f0c58-1d94-4e6b-b3f2-8c05d7e91a46',
  log: '0195d2c4-7a3e-7f18-9b60-4e8c1f5a2d37',
  secondLog: '0195d2c4-6b1d-7c42-8a5f-0d9e3b7c6f14',
  request: '0195d2c4-7a3b-7d05-8c2e-6f1a9b4d0e83',
  secondRequest: '0195d2c4-6b19-7e64-9f03-2a7c5d8b1e46',
  nobody: '00000000-0000-4000-8000-000000000000',
} as const;

export const exampleTime = '2026-03-02T09:30:00.000Z';
export const exampleLaterTime = '2026-03-02T09:41:27.318Z';
/** The time at which the audit record of the examples was written. */
export const exampleRecordTime = '2026-03-02T09:30:00.117Z';
/** The time at which a session, an invitation and an approval request of the examples expire. */
export const exampleEnd = '2026-03-05T09:30:00.000Z';

/** A change that a management key has requested and nobody has approved yet. */
export const exampleApproval = {
  id: exampleIds.approval,
  status: 'pending',
  requested_by: exampleIds.manager,
  requested_at: exampleTime,
  expires_at: exampleEnd,
  approvals_needed: 2,
  approvals_given: 0,
} as const;

/** Secrets that have the format of real ones but give no access. */
export const exampleSecrets = {
  key: 'key_test_pvt_Ht5nGcXw2PzLr8mVq4BdYs7kJ3fUaRe6TxNbWh9CpMuZoDgKiQyEv1jSAt4LkFH8rXm2_7dKq3W',
  publicKey: 'key_test_pub_Jm3tWz8RcLx5nVq2HsPd7yBk4gFuAeT9rNbXoC6pMwZvDhKiGyEj1fSQa7LtUYk2Rm5_9xTn4B',
  sessionKey: 'key_test_sess_Rw9cVj4LmPz6nXh2GqTd8sBy5kFuAeJ7rNbWoC3pMxZtDgKiHyEv1jSQf6LaUYk4Tm8_3nBx9R',
  webhook: 'whsec_Yk1nQ2Z3bXh2R0p0ZEw5c0hhUTdSd0VwN1h1TjRvQmM=',
  proxy: 'proxy_7HqLc2BdGf5UeAiTo9MxWk3CrYpVa8sKmPzX4wRt7NvJ',
  nonce: '8sKmPzX4wRt7NvJqLc2HyBdGf5UeAiTo9MxWk3CrYpVa',
} as const;

export const exampleFingerprints = {
  card: 'CC2XvyoohnqecEq4r3FtXv6MdCx4TbaW1UUTdCCN5MNL',
  person: '7Tn4kJpYbWc9sGdXuR2eHfVqZ5mA8oLx3BiNvPy6KtQr',
} as const;

/** The public half of the client key, as clients get it. */
export const examplePublicKey =
  '-----BEGIN PUBLIC KEY-----\nWQ4geAENWHyR7+g94nN6lFZzY7YdGWxPtlX/16fJ4z0=\n-----END PUBLIC KEY-----';

/** The provider and fingerprint of the root key. */
export const exampleRootKey = 'file:9f2c61d07ab3e584';

/** The destination of proxy requests in the examples. */
export const exampleDestination = 'https://api.provider.example';

/** A test card number of the payment industry. */
export const exampleCard = { number: '4242424242424242', expiration_month: 12, expiration_year: 2030 } as const;
export const exampleMaskedCard = { ...exampleCard, number: 'XXXXXXXXXXXX4242' } as const;
