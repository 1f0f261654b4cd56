import type { SeededRandom } from '../../core/random/seeded-random.ts';
import type { SeedCustomer } from './seed-customers.ts';
import { seedAddresses, type SeedRequest } from './seed-request.ts';

/** Creates the tokens of a new customer: a person, a card, and for some a bank account. */
export function createTokens(customer: SeedCustomer, at: Date, random: SeededRandom): SeedRequest[] {
  const { number, personId, cardId, bankId, name, email, phone, address, card, account } = customer;
  const metadata = { customer: number };
  const create = { at, phase: 'create', method: 'POST', path: '/tokens', status: 201 } as const;
  const person = {
    id: personId,
    type: 'token',
    data: { name, email, phone, address },
    mask: {
      name: '{{ data.name }}',
      email: '{{ data.email | reveal_last: 12 }}',
      phone: '{{ data.phone | reveal_last: 2 }}',
    },
    search_indexes: ['{{ data.email }}'],
    containers: ['/pii/customers/'],
    metadata,
  };
  const visitor = `198.51.100.${1 + random.below(250)}`;
  return [
    {
      ...create,
      application: 'CRM sync',
      address: random.pick(seedAddresses['CRM sync']),
      body: person,
    },
    {
      ...create,
      application: 'Checkout',
      address: visitor,
      body: { id: cardId, type: 'card', data: card, metadata },
      isInSession: random.chance(0.15),
    },
    ...(bankId === undefined
      ? []
      : [
          {
            ...create,
            application: 'Checkout backend' as const,
            address: random.pick(seedAddresses['Checkout backend']),
            body: { id: bankId, type: 'bank', data: account, metadata },
          },
        ]),
  ];
}
