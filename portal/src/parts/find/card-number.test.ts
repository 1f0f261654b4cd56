import { expect, it } from 'vitest';
import { holdsCardNumber } from './card-number';

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
