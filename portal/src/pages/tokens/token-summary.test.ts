import { expect, it } from 'vitest';
import type { Token } from './token-query';
import { drawMask, nameOf, summarize } from './token-summary';

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Only these members are summarized.
const token = (members: object) => members as Token;

it('shows a card with its date in one piece', () => {
  const data = { number: 'XXXXXXXXXXXX4242', expiration_month: 3, expiration_year: 2030 };
  expect(summarize(token({ data, card: { expiration_month: 3, expiration_year: 2030 } }))).toBe(
    '•••• •••• •••• 4242 · 03/2030',
  );
});

it.each([
  [null, ''],
  ['text', 'text'],
  [{ a: 'x', b: [1, 2] }, 'x · [1,2]'],
  [[1, 'two'], '[1,"two"]'],
])('shows %j in one line', (data, text) => {
  expect(summarize(token({ data }))).toBe(text);
});

it('truncates long text', () => {
  expect(summarize(token({ data: 'x'.repeat(100) }))).toBe(`${'x'.repeat(63)}…`);
});

it.each([
  ['XXXXXXXXXXXX4242', '•••• •••• •••• 4242'],
  ['XXXXXXXXXXX1005', '•••• •••••• •1005'],
  ['XXX-XX-1079', '•••-••-1079'],
  ['XXXXXX@example.com', '••••••@example.com'],
  ['MAXX', 'MAXX'],
  ['4242', '4242'],
])('draws the mask %s as %s', (text, drawn) => {
  expect(drawMask(text)).toBe(drawn);
});

it('names a token by what may be seen of it', () => {
  expect(nameOf(token({ type: 'card', card: { brand: 'visa', last4: '7774' } }))).toBe('Visa ending in 7774');
  expect(nameOf(token({ type: 'card', card: { brand: 'unknown', last4: '7774' } }))).toBe('Card ending in 7774');
  expect(nameOf(token({ type: 'token' }))).toBe('Generic');
});
