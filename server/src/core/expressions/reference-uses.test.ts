import { describe, expect, it } from 'vitest';
import { compileReferences } from './reference-text.ts';
import { mergeUses, usesOf } from './reference-uses.ts';

const usesIn = (text: string) =>
  [...usesOf(compileReferences(text).segments.filter((segment) => typeof segment !== 'string'))].map(
    ([id, fields]) => [id, ...fields] as const,
  );

describe('usesOf', () => {
  it.each([
    ['{{ a }}', ['a', 'data']],
    ['{{ token: a }}', ['a', 'token']],
    ["{{ a | json: '$.number' | last4 }}", ['a', 'data.number']],
    ["{{ token: a | json: '$.data.number' }}", ['a', 'data.number']],
    ["{{ a | json: '$.address' | json: '$.line1' }}", ['a', 'data.address.line1']],
    ["{{ a | first | json: '$.number' }}", ['a', 'data']],
    ["{{ a | json: '$[0].number' }}", ['a', 'data.*.number']],
    ["{{ a | json: '$.a.b.c.d.e' }}", ['a', 'data.a.b.c.d.*']],
    ["{{ a | last4 }}{{ a | json: '$.cvc' }}", ['a', 'data', 'data.cvc']],
  ])('of %s are %j', (text, uses) => {
    expect(usesIn(text)).toEqual([uses]);
  });

  it('lists every id once', () => {
    expect(usesIn('{{ a }}{{ token: b }}{{ a | last4 }}')).toEqual([
      ['a', 'data'],
      ['b', 'token'],
    ]);
  });

  it.each(["'$.4242424242424242'", "'$.a4242'", '"$[\'jane@example.com\']"', "'$.ä'", `'$.${'a'.repeat(41)}'`])(
    'does not repeat %s, which may be a value',
    (path) => {
      expect(usesIn(`{{ a | json: ${path} }}`)).toEqual([['a', 'data.*']]);
    },
  );

  it('stays small however many parts are named', () => {
    const letters = 'abcdefghijklmnopqrstuvwxyz'.split('');
    const all = letters.map((letter) => new Map([['a', new Set([letter])]]));
    expect([...(mergeUses(all).get('a') ?? [])]).toEqual([...letters.slice(0, 20), '*']);
  });
});
