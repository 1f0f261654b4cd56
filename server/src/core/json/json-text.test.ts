import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonLengthUpTo, toJsonText } from './json-text.ts';
import { ExactNumber, type JsonValue } from './json-value.ts';
import { parseJson } from './parse-json.ts';

describe('jsonLengthUpTo', () => {
  it('is the length of the JSON text, or at most one more for every object and array', () => {
    const stringUnit = fc.constantFrom('a', 'é', '日');
    const value = fc.jsonValue({ maxDepth: 5, stringUnit });
    fc.assert(
      fc.property(value, (json) => {
        const plain = parseJson(JSON.stringify(json), { depthMax: 64 });
        const text = toJsonText(plain);
        fc.pre(!text.includes('\\'));
        const containers = Array.from(text).filter((character) => character === '{' || character === '[').length;
        const length = jsonLengthUpTo(plain, Number.POSITIVE_INFINITY);
        expect(length).toBeGreaterThanOrEqual(text.length);
        expect(length).toBeLessThanOrEqual(text.length + containers);
      }),
    );
  });

  it.each<[JsonValue]>([['a'.repeat(200)], [Array.from({ length: 200 }, () => 1)], [{ ['k'.repeat(200)]: 1 }]])(
    'says that a value is too long (%#)',
    (value) => {
      expect(jsonLengthUpTo(value, 100)).toBeGreaterThan(100);
    },
  );

  it('counts an exact number as it is written', () => {
    expect(jsonLengthUpTo(new ExactNumber('1.000'), 100)).toBe(5);
  });
});
