import { expect, it } from 'vitest';
import { couldBecomeCardNumber, holdsCardNumber } from './card-number';

it.each([
  '4242424242424242',
  'id:"4242 4242 4242 4242"',
  'metadata.x:3782-822463-10005',
  'entity 5555555555554444.',
  'id:"4242424242424242 12/31 123"',
  'id:"12 31 4242 4242 4242 4242"',
])('a card number is noticed in %j', (text) => expect(holdsCardNumber(text)).toBe(true));
it.each([
  '4242424242424241',
  '•••• 4242',
  'created_at:[2026-01-01 TO 2026-02-01]',
  '0a1b2c3d-1b2c-4d3e-8f90-424242424242',
  '42424242424',
  '',
])('none is seen in %j', (text) => expect(holdsCardNumber(text)).toBe(false));

it.each(['424242424', '4242 4242 4', '4242-4242-4242-424', 'x 4242424242424241'])(
  'digits that could become a card number are noticed in %j',
  (text) => expect(couldBecomeCardNumber(text)).toBe(true),
);
it.each(['', '42424242', 'Billing 2026-11-19', '0a1b2c3d-1b2c-4d3e-8f90-424242424242'])(
  'no beginning of a card number is seen in %j',
  (text) => expect(couldBecomeCardNumber(text)).toBe(false),
);
