import { describe, expect, it } from 'vitest';
import { toJsonText } from '../json/json-text.ts';
import { ExactNumber, type JsonValue } from '../json/json-value.ts';
import { parseJson } from '../json/parse-json.ts';
import type { ExpressionTools } from './expression-tools.ts';
import { compileDefaultMask, compileMask, evaluateMask } from './mask.ts';
import { TemplateCache } from './template.ts';

const tools: ExpressionTools = { hmac: () => new Uint8Array(), randomInt: () => 0 };
const evaluate = (mask: JsonValue, data: JsonValue) => evaluateMask(compileMask(mask), { data }, tools);

const card = { number: '4242424242424242', expiration_month: 12, expiration_year: 2030, cvc: '123' };

const nested = (depth: number): JsonValue => {
  let mask: JsonValue = 'leaf';
  for (let level = 0; level < depth; level += 1) mask = [mask];
  return mask;
};

describe('mask', () => {
  it('evaluates the strings of an object and keeps the type of a lone expression', () => {
    const mask = {
      number: '{{ data.number | reveal_last: 4 }}',
      expiration_month: '{{ data.expiration_month }}',
      expiration_year: '{{ data.expiration_year }}',
    };
    expect(evaluate(mask, card)).toEqual({
      number: 'XXXXXXXXXXXX4242',
      expiration_month: 12,
      expiration_year: 2030,
    });
  });

  it('evaluates a single string, and strings in lists at any depth', () => {
    expect(evaluate('{{ data | reveal_last: 4 }}', '123-45-6789')).toBe('XXX-XX-6789');
    expect(evaluate({ a: ['{{ data.cvc }}', { b: ['no. {{ data.cvc }}'] }] }, card)).toEqual({
      a: ['123', { b: ['no. 123'] }],
    });
  });

  it('passes numbers, booleans and null through', () => {
    const mask = { a: 1, b: true, c: null, d: new ExactNumber('1.0'), e: 'text' };
    expect(evaluate(mask, card)).toEqual(mask);
  });

  it('masks with the mistyped comma found in public clients', () => {
    expect(evaluate({ number: '{{ data.number, reveal_last: 4 }}', cvc: '{{ data.cvc }}' }, card)).toEqual({
      number: 'XXXXXXXXXXXX4242',
      cvc: '123',
    });
  });

  it('keeps a member named __proto__ as a member', () => {
    const mask = parseJson('{"__proto__":"{{ data.cvc }}"}', { depthMax: 4 });
    const result = evaluate(mask, card);
    expect(toJsonText(result)).toBe('{"__proto__":"123"}');
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
  });

  it('counts its expressions and compiles through a cache', () => {
    const cache = new TemplateCache();
    expect(compileMask({ a: '{{ data }}', b: ['{{ data }}{{ data }}', 'x', 1] }, cache).expressionCount).toBe(3);
    expect(cache.size).toBe(3);
  });

  it.each<[string, JsonValue, string, readonly (string | number)[]]>([
    ['a bad leaf', { a: { b: ['ok', '{{ data | nosuch }}'] } }, 'unknown-filter', ['a', 'b', 1]],
    ['an unclosed leaf', { number: '{{ data.number' }, 'unclosed-expression', ['number']],
    ['an overlong leaf', ['a'.repeat(1_001)], 'text-too-long', [0]],
    ['too many expressions', Array.from({ length: 65 }, () => '{{ data }}'), 'too-many-expressions', [64]],
    ['too many members', Array.from({ length: 1_001 }, () => null), 'mask-too-large', []],
    ['too many levels', nested(33), 'mask-too-deep', Array.from({ length: 33 }, () => 0)],
  ])('refuses %s and says where', (_case, mask, reason, path) => {
    expect(() => compileMask(mask)).toThrow(expect.objectContaining({ name: 'ExpressionError', reason, path }));
  });

  it('says where a value does not fit', () => {
    expect(() => evaluate({ a: [{ n: '{{ data | last4 }}' }] }, card)).toThrow(
      expect.objectContaining({ reason: 'wrong-value', path: ['a', 0, 'n'] }),
    );
  });

  it('does not multiply a large value', () => {
    const mask = Array.from({ length: 64 }, () => '{{ data }}');
    expect(() => evaluate(mask, 'a'.repeat(2_000))).toThrow(expect.objectContaining({ reason: 'output-too-large' }));
    expect(evaluate(mask, 'a'.repeat(1_000))).toHaveLength(64);
  });
});

describe('the default mask of a type', () => {
  const evaluateDefault = (mask: JsonValue, data: JsonValue) => evaluateMask(compileDefaultMask(mask), { data }, tools);

  it.each([
    ['1', 'X'],
    ['1234', 'XXXX'],
    ['12-4', 'XX-X'],
    ['12345', 'X2345'],
    ['', ''],
  ])('hides a value whole that is not longer than what it reveals: %s', (data, masked) => {
    expect(evaluateDefault('{{ data | reveal_last: 4 }}', data)).toBe(masked);
  });

  it('leaves out members that the data does not have, and a supplied mask keeps them', () => {
    const mask = { a: '{{ data.a }}', b: '{{ data.b }}', c: ['{{ data.b }}'] };
    expect(evaluateDefault(mask, { a: 1, b: null })).toStrictEqual({ a: 1, c: [null] });
    expect(evaluate(mask, { a: 1 })).toStrictEqual({ a: 1, b: null, c: [null] });
  });
});
