import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toJsonText } from '../json/json-text.ts';
import type { JsonValue } from '../json/json-value.ts';
import { parseJson } from '../json/parse-json.ts';
import { mergePatch } from './merge-patch.ts';
import { finish } from '../steps/steps.ts';
import { StoredRemainder } from './stored-remainder.ts';

const parse = (text: string) => parseJson(text, { depthMax: 32 });
const leavesStored = (target: JsonValue, patch: JsonValue) => finish(new StoredRemainder(target, patch).isLeft());
const mixesStored = (target: JsonValue, patch: JsonValue, paths: string[][]) =>
  finish(new StoredRemainder(target, patch).isMixed(paths));

/** Generates values whose scalars show where they came from. */
const anyValue = (scalar: string) =>
  fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.constant<JsonValue>(scalar),
      fc.array(tie('value'), { maxLength: 2 }),
      fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), tie('value'), { maxKeys: 3 }),
    ),
  })).value;
const anyPatch = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<JsonValue>('supplied', null),
    fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), tie('value'), { maxKeys: 3 }),
  ),
})).value;

describe('what a patch leaves', () => {
  it.each<[string, string, boolean]>([
    ['{"a":1}', '"new"', false],
    ['{"a":1}', '["new"]', false],
    ['{"a":1}', 'null', false],
    ['{"a":1}', '{}', true],
    ['{"a":1}', '{"a":2}', false],
    ['{"a":1}', '{"a":null}', false],
    ['{"a":1,"b":2}', '{"a":2}', true],
    ['{"a":{"b":1,"c":2}}', '{"a":{"b":2}}', true],
    ['{"a":{"b":1}}', '{"a":{"b":2}}', false],
    ['{"a":[1,2]}', '{"a":[3]}', false],
    ['"old"', '{}', false],
    ['[1]', '{"0":2}', false],
    ['{"a":1.0}', '{"a":{"b":1}}', false],
  ])('of %s by %s is %s', (target, patch, isLeft) => {
    expect(leavesStored(parse(target), parse(patch))).toBe(isLeft);
  });

  it('says so wherever a stored scalar is left in the result', () => {
    fc.assert(
      fc.property(anyValue('stored'), anyPatch, (target, patch) => {
        if (toJsonText(mergePatch(target, patch)).includes('stored')) expect(leavesStored(target, patch)).toBe(true);
      }),
      { numRuns: 5_000 },
    );
  });
});

describe('what paths read together', () => {
  it.each<[string, string, string[][], boolean]>([
    ['{"a":1,"b":2}', '{"a":3}', [[]], true],
    ['{"a":1,"b":2}', '{"a":3}', [['a']], false],
    ['{"a":1,"b":2}', '{"a":3}', [['b']], false],
    ['{"a":1,"b":2}', '{"a":3}', [['a'], ['b']], true],
    ['{"a":1,"b":2}', '{"a":null}', [['a'], ['b']], true],
    ['{"a":1,"b":2}', '{"c":3}', [['a'], ['b']], false],
    ['{"a":{"x":1,"y":2},"b":2}', '{"a":{"x":3}}', [['a']], true],
    ['{"a":{"x":1,"y":2},"b":2}', '{"a":"new"}', [['a', 'x']], false],
    ['{"a":{"x":1}}', '{"a":{"x":3}}', [['a']], false],
    ['{"a":[{"x":1}]}', '{"a":{"0":{"y":1}}}', [['a', '0']], false],
    ['{"a":[1,2],"b":1}', '{"b":2}', [['a', '0'], ['b']], true],
    ['{"a":1}', '{"b":2}', [['b'], ['missing']], false],
  ])('of %s by %s at %j is %s', (target, patch, paths, isMixed) => {
    expect(mixesStored(parse(target), parse(patch), paths)).toBe(isMixed);
  });
});

describe('many questions about one patch', () => {
  it('have the results that they have alone', () => {
    const anyPath = fc.array(fc.constantFrom('a', 'b', '__proto__', '0'), { maxLength: 3 });
    fc.assert(
      fc.property(anyValue('stored'), anyPatch, fc.array(fc.array(anyPath)), (target, patch, questions) => {
        const remainder = new StoredRemainder(target, patch);
        const together = questions.map((paths) => finish(remainder.isMixed(paths)));
        expect(together).toEqual(questions.map((paths) => mixesStored(target, patch, paths)));
      }),
      { numRuns: 2_000 },
    );
  });

  it('compare each member once, in steps', () => {
    const members = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`k${index}`, 1]));
    const remainder = new StoredRemainder({ a: { b: { c: members } }, other: 1 }, { a: { b: { c: members } } });
    let pauses = 0;
    for (const path of [['a'], ['a', 'b'], ['a', 'b', 'c'], ['a', 'b']]) {
      const steps = remainder.isMixed([path]);
      while (steps.next().done !== true) pauses += 1;
    }
    expect([remainder.comparedCount, pauses]).toEqual([10_002, 6]);
  });
});
