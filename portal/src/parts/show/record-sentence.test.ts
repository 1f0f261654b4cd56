import { expect, it } from 'vitest';
import { type Said, toText } from './record-sentence';

const card: Said = { entity_type: 'card', entity_id: 'c-1', operation: 'read', outcome: 'success' };

it.each([
  [card, 'Checkout read a card'],
  [{ ...card, operation: 'create' }, 'Checkout stored a card'],
  [{ ...card, destination: 'api.acquirer.example' }, 'Checkout sent a card to api.acquirer.example'],
  [{ ...card, operation: 'delete', outcome: 'denied' }, 'Checkout was denied deleting a card'],
  [{ ...card, outcome: 'missed' }, 'Checkout asked for a card that does not exist'],
  [
    { ...card, entity_type: 'token', entity_id: '*', outcome: 'missed', details: { missing: 1_430 } },
    'Checkout asked for 1,430 tokens that do not exist',
  ],
  [
    {
      ...card,
      entity_type: 'token',
      entity_id: '*',
      operation: 'search',
      details: { fields: ['type', 'data'], missing: 2 },
    },
    'Checkout searched tokens by type, data; 2 did not exist',
  ],
  [{ ...card, entity_type: 'application', entity_id: '*' }, 'Checkout listed applications'],
  [{ ...card, entity_type: 'log', entity_id: '*' }, 'Checkout looked at the log'],
  [{ ...card, entity_type: 'log', entity_id: '*', details: { via: 'download' } }, 'Checkout downloaded the log'],
  [{ ...card, entity_type: 'session', operation: 'sign_in' }, 'Checkout signed in'],
  [{ ...card, entity_type: 'session', operation: 'sign_in', outcome: 'denied' }, 'Checkout was denied signing in'],
  [
    { ...card, entity_type: 'proxy', operation: 'invoke', outcome: 'unknown', destination: 'a.example' },
    'Checkout may have sent a request to a.example',
  ],
  [
    { ...card, entity_type: 'proxy', operation: 'invoke', destination: 'a.example', details: { proxy: 'x', count: 2 } },
    'Checkout sent a request to a.example, storing 2 tokens',
  ],
  [
    { ...card, entity_type: 'proxy', operation: 'create', destination: 'a.example' },
    'Checkout created the route to a.example',
  ],
  [{ ...card, entity_type: 'something', operation: 'new' }, 'Checkout new something'],
] satisfies [Said, string][])('%j reads “%s”', (record, text) => {
  expect(toText('Checkout', record)).toBe(text);
});
