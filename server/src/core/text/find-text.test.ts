import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { finish } from '../steps/steps.ts';
import { findTextSteps, splitText } from './find-text.ts';

const find = (text: string, wanted: string, from?: number) => finish(findTextSteps(text, wanted, from));
/** Generates texts with few different letters, so that parts of a text repeat. */
const anyText = (maxLength: number) =>
  fc.array(fc.constantFrom('a', 'b', 'é', '😀'), { maxLength }).map((letters) => letters.join(''));

describe('findTextSteps', () => {
  it.each([
    ['', '', 0],
    ['abc', '', 2],
    ['', 'a', 0],
    ['abc', 'abc', 0],
    ['abc', 'abc', 1],
    ['aabaabaaab', 'aabaaab', 0],
    ['abababac', 'ababac', 0],
    ['aaa', 'a', 2],
    ['aaa', 'a', 9],
  ])('finds in %j what indexOf finds: %j from %i', (text, wanted, from) => {
    expect(find(text, wanted, from)).toBe(text.indexOf(wanted, from));
  });

  it('finds what indexOf finds, wherever it begins', () => {
    fc.assert(
      fc.property(anyText(60), anyText(8), fc.nat(70), (text, wanted, from) => {
        expect(find(text, wanted, from)).toBe(text.indexOf(wanted, from));
      }),
      { numRuns: 5_000 },
    );
  });

  it('finds every part of a text', () => {
    fc.assert(
      fc.property(anyText(60), fc.nat(60), fc.nat(60), (text, start, length) => {
        const part = text.slice(start, start + length);
        expect(find(text, part)).toBe(text.indexOf(part));
      }),
      { numRuns: 5_000 },
    );
  });

  it('pauses at least every 64 K characters of either text', () => {
    const [text, wanted] = ['a'.repeat(1_000_000), `${'a'.repeat(500_000)}b`];
    const steps = findTextSteps(text, wanted);
    let pauses = 0;
    while (steps.next().done !== true) pauses += 1;
    expect(pauses).toBe(Math.floor(1_000_000 / 65_536) + Math.floor(500_000 / 65_536));
  });
});

describe('splitText', () => {
  it('splits like split', () => {
    fc.assert(
      fc.property(fc.array(anyText(3)), fc.constantFrom('a', 'ab'.repeat(16), 'ab'.repeat(17)), (parts, separator) => {
        const text = parts.join(separator);
        expect(splitText(text, separator)).toEqual(text.split(separator));
      }),
    );
  });
});
