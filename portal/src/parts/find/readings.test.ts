import { describe, expect, it } from 'vitest';
import { isQuery, readPasted } from './readings';

describe('pasted text is read', () => {
  it('as an id, which may be part of an address', () => {
    const found = readPasted(' 0a1b2c3d-1b2c-4d3e-8f90-a1b2c3d4e5f6 ', ['customer']);
    expect(found).toMatchObject({ isId: true, isSecret: false });
    expect(found.query).toBe(
      'id:"0a1b2c3d-1b2c-4d3e-8f90-a1b2c3d4e5f6" OR metadata.customer:"0a1b2c3d-1b2c-4d3e-8f90-a1b2c3d4e5f6"',
    );
  });

  it('as an e-mail address in both spellings, which stays out of addresses', () => {
    const { query, isSecret } = readPasted('Ada@Example.com', []);
    expect(query).toContain('data:"Ada@Example.com" OR data:"ada@example.com"');
    expect(isSecret).toBe(true);
  });

  it.each(['4242', '•••• 4242', 'XXXXXXXXXXXX4242'])('as last four digits: %s', (text) => {
    expect(readPasted(text, []).lastFour).toBe('4242');
  });

  it('as a card number with and without spaces', () => {
    const { query, lastFour, isSecret } = readPasted('4242 4242 4242 4242', []);
    expect(query).toContain('data:"4242424242424242"');
    expect([lastFour, isSecret]).toEqual([undefined, true]);
  });

  it.each(['192.0.2.1', '2001:db8::1'])('as an address: %s', (text) => {
    expect(readPasted(text, []).isAddress).toBe(true);
  });

  it('as one value, whatever it contains', () => {
    expect(readPasted('x" OR type:card', ['a b'])).toMatchObject({
      query: String.raw`id:"x\" OR type:card" OR fingerprint:"x\" OR type:card" OR metadata.a\ b:"x\" OR type:card" OR data:"x\" OR type:card" OR data:"x\" or type:card"`,
    });
  });
});

it.each([
  'type:card',
  'NOT type:card',
  'NOT (type:card OR type:bank)',
  '(NOT (-type:card))',
  '(metadata.customer:C-1 OR id:x)',
  '-container:/pci/',
  'data:"x"',
])('the query language is told apart: %s', (text) => expect(isQuery(text)).toBe(true));
it.each(['C-1', 'ada@example.com', 'Note: call back', '2001:db8::1', ''])('no query: %j', (text) =>
  expect(isQuery(text)).toBe(false),
);
