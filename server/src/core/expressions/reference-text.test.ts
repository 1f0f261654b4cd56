import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ExpressionError } from './expression-error.ts';
import { compileReferences, type ReferenceOptions } from './reference-text.ts';

const id = '1d08babf-456a-4bef-993d-aece3c1a2f66';

const shapeOf = (text: string, options?: ReferenceOptions) =>
  compileReferences(text, options).segments.map((segment) =>
    typeof segment === 'string' ? segment : [segment.kind, segment.tokenId, segment.filters.length],
  );

describe('compileReferences', () => {
  it.each([
    ['', ['']],
    ['no reference', ['no reference']],
    [`{{${id}}}`, [['data', id, 0]]],
    [`{{ ${id} }}`, [['data', id, 0]]],
    [`{{token:${id}}}`, [['token', id, 0]]],
    [`{{ token: ${id} }}`, [['token', id, 0]]],
    [`{{ ${id} | json: '$.number' }}`, [['data', id, 1]]],
    [`{{ token: ${id} | json: "$.data" |  card_exp: "YYYY" }}`, [['token', id, 2]]],
    [`a {{ ${id} }} b`, ['a ', ['data', id, 0], ' b']],
    [
      `{{${id}}}{{abc}}`,
      [
        ['data', id, 0],
        ['data', 'abc', 0],
      ],
    ],
    ['{{ an id: with, "odd" (chars).é }}', [['data', 'an id: with, "odd" (chars).é', 0]]],
    ['{{ data.number }}', [['data', 'data.number', 0]]],
    ["{{ abc | append: '}}' }}", [['data', 'abc', 1]]],
    ['{"a":{{abc}}}', ['{"a":', ['data', 'abc', 0], '}']],
    ['{{{abc}}}', ['{', ['data', 'abc', 0], '}']],
    ['}} { {', ['}} { {']],
    [`{{ ${'a'.repeat(400)} }}`, [['data', 'a'.repeat(400), 0]]],
  ])('%j is read as %j', (text, expected) => {
    expect(shapeOf(text)).toEqual(expected);
  });

  it('counts references and not ids', () => {
    expect(compileReferences('{{ a }}{{ token: b }}{{ a | last4 }}').referenceCount).toBe(3);
  });

  it.each([
    ['x {{ }}', 'empty-expression', 2],
    ['{{ token: }}', 'empty-expression', 0],
    ['{{ token: | last4 }}', 'empty-expression', 0],
    ['{{ a', 'unclosed-expression', 0],
    ['{{', 'unclosed-expression', 0],
    ['{{ a }', 'bad-token-id', 0],
    ['{{ a/b }}', 'bad-token-id', 0],
    ['{{#if a}}', 'bad-token-id', 0],
    ['{{ a + b }}', 'bad-token-id', 0],
    [`{{ ${'a'.repeat(401)} }}`, 'bad-token-id', 0],
    [`{{ a ${' '.repeat(1_000)} }}`, 'expression-too-long', 0],
  ])('refuses the braces in %j as %s, or keeps them on demand', (text, reason, offset) => {
    expect(() => compileReferences(text)).toThrow(expect.objectContaining({ reason, offset }));
    expect(shapeOf(text, { foreignBraces: 'keep' })).toEqual([text]);
  });

  it.each([
    ['{{ a | }}', 'malformed-expression'],
    ['{{ a | nosuch }}', 'unknown-filter'],
    ["{{ a | json: '$.number }}", 'unclosed-quote'],
    ['{{ a | last4', 'unclosed-expression'],
    ["{{ a | hmac: 'sha-256', 'k' }}", 'bytes-not-encoded'],
    [`{{ a ${'| last4 '.repeat(9)} }}`, 'too-many-filters'],
    [`{{ a | append: '${'x'.repeat(1_000)}' }}`, 'expression-too-long'],
    [`{{ a | last4 ${' '.repeat(1_000)} }}`, 'expression-too-long'],
  ])('refuses %j even when braces are kept', (text, reason) => {
    for (const foreignBraces of ['refuse', 'keep'] as const) {
      expect(() => compileReferences(text, { foreignBraces })).toThrow(expect.objectContaining({ reason }));
    }
  });

  it.each([
    '{{ a | last4 }}',
    "{{ a | json: '$.b' | slice: 0, 1 }}",
    "{{ a | json: '$.*' }}",
    "{{ a | json: '$[*]' }}",
  ])('refuses %s if references can only select members', (text) => {
    const failure = expect.objectContaining({ reason: 'only-members', offset: 2 });
    expect(() => compileReferences(`x ${text}`, { isSelectOnly: true })).toThrow(failure);
  });

  it.each(['{{ a }}', '{{ token: a }}', "{{ a | json: '$.b[0]' | json: '$.c' }}"])(
    '%s only selects a member',
    (text) => {
      expect(compileReferences(text, { isSelectOnly: true }).referenceCount).toBe(1);
    },
  );

  it('finds the reference among braces that it keeps', () => {
    const text = '{{#if x}}{{ abc }}{{/if}} {{ {{ def }}';
    expect(shapeOf(text, { foreignBraces: 'keep' })).toEqual([
      '{{#if x}}',
      ['data', 'abc', 0],
      '{{/if}} {{ ',
      ['data', 'def', 0],
    ]);
  });

  it('limits the number of references', () => {
    expect(compileReferences('{{a}}'.repeat(1_000)).referenceCount).toBe(1_000);
    expect(() => compileReferences('{{a}}'.repeat(1_001))).toThrow(
      expect.objectContaining({ reason: 'too-many-references', offset: 5_000 }),
    );
    expect(() => compileReferences('{{a}}{{b}}', { referencesMax: 1 })).toThrow(ExpressionError);
  });

  it('limits the number of braces that it keeps', () => {
    expect(compileReferences('{{ '.repeat(50_000), { foreignBraces: 'keep' }).referenceCount).toBe(0);
    expect(() => compileReferences('{{ '.repeat(50_001), { foreignBraces: 'keep' })).toThrow(
      expect.objectContaining({ reason: 'too-many-braces', offset: 150_000 }),
    );
  });

  it('loses no character of the text around references', () => {
    const unit = fc.constantFrom('{', '}', '{{', '}}', 'a', ' ', '|', '/', 'token:', '{{ a }}', '😀');
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 60 }), (text) => {
        try {
          const { segments } = compileReferences(text, { foreignBraces: 'keep' });
          const literals = segments.filter((segment) => typeof segment === 'string');
          let at = 0;
          for (const literal of literals) {
            at = text.indexOf(literal, at);
            expect(at).toBeGreaterThanOrEqual(0);
            at += literal.length;
          }
          if (segments.length === literals.length) expect(literals).toEqual([text]);
        } catch (error) {
          expect(error).toBeInstanceOf(ExpressionError);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
