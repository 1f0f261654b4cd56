import { expect, it } from 'vitest';
import { mayHoldData } from './token-query';

it.each([
  'type:card',
  'type:card AND container:/pci/',
  'NOT (type:card OR -metadata.customer:"a b")',
  'created_at:[2026-01-01 TO 2026-02-01]',
  'id:"a \\" b"',
])('a query without data may become part of the address: %s', (query) => {
  expect(mayHoldData(query)).toBe(false);
});

it.each([
  '4242424242424242',
  '4242 4242 4242 4242',
  'data:4242424242424242',
  'type:card AND data:x',
  'd\\ata:4242',
  'type:card 4242',
  'metadata.a:b (4242)',
  '"4242424242424242"',
])('a query that may hold data never becomes part of the address: %s', (query) => {
  expect(mayHoldData(query)).toBe(true);
});
