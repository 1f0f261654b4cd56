import { expect, it } from 'vitest';
import { chooseTraceId } from './trace-id.ts';

const choose = (given: string) => chooseTraceId({ headers: { 'bt-trace-id': given } });

it.each([
  '4242424242424242',
  '4242-4242-4242-4242',
  'order:4242.4242.4242.4242',
  '3782-822463-10005',
  'card_5555555555554444',
  '4242424242424242:12:2030',
  '0a1b2c3d-1b2c-4d3e-8f90-a1b2c3d4e5f6:6011111111111117',
])('the number of a card is no trace id: %s', (given) => {
  expect(choose(given)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
});

it.each([
  'mine',
  '4242424242424241',
  // No network issues such a number.
  '0000000000000000',
  '42424242424242424242424242424242',
  '4bf92f3577b34da6a3ce929d0e0e4736',
  '0a4242424242424242',
  '42424242-4242-4242-4242-424242424242',
  '2026-11-19T14:30:00.123',
])('other trace ids of a caller are kept: %s', (given) => {
  expect(choose(given)).toBe(given);
});
