import { expect, it } from 'vitest';
import { excerptBytesMax, toExcerpt } from './response-excerpt.ts';

const masked = 'XXXXXXXXXXXXXXXX';

it.each([
  ['4242424242424242', masked],
  ['4242 4242 4242 4242', 'XXXX XXXX XXXX XXXX'],
  ['4242-4242-4242-4242', 'XXXX-XXXX-XXXX-XXXX'],
  ['4242  4242  4242  4242', 'XXXX  XXXX  XXXX  XXXX'],
  ['4242\u00a04242\u00a04242\u00a04242', 'XXXX\u00a0XXXX\u00a0XXXX\u00a0XXXX'],
  ['4242\u20134242\u20134242\u20134242', 'XXXX\u2013XXXX\u2013XXXX\u2013XXXX'],
  ['42424242\r\n42424242', 'XXXXXXXX  XXXXXXXX'],
  ['4242\u00004242\u00004242\u00004242', 'XXXX XXXX XXXX XXXX'],
])('a card number in %j is masked in the log of deliveries', (text, expected) =>
  expect(toExcerpt(Buffer.from(text))).toBe(expected),
);

it('short numbers stay, and so do addresses', () => {
  const text = 'status 503 at 2026-11-19, from 203.0.113.195';
  expect(toExcerpt(Buffer.from(text))).toBe(text);
});

it('a card number at the end of what is kept leaves no more than eight digits', () => {
  for (let kept = 1; kept <= 16; kept += 1) {
    const text = `${' '.repeat(excerptBytesMax - kept)}4242424242424242`;
    expect(toExcerpt(Buffer.from(text)).replaceAll(/\D/g, '').length).toBeLessThanOrEqual(8);
  }
});
