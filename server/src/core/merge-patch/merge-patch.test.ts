import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toJsonText } from '../json/json-text.ts';
import type { JsonValue } from '../json/json-value.ts';
import { parseJson } from '../json/parse-json.ts';
import { mergePatch } from './merge-patch.ts';

const parse = (text: string) => parseJson(text, { depthMax: 32 });

describe('mergePatch', () => {
  // These are the examples of RFC 7386, appendix A, in their order.
  it.each([
    ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
    ['{"a":"b"}', '{"a":null}', '{}'],
    ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
    ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
    ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
    ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
    ['["a","b"]', '["c","d"]', '["c","d"]'],
    ['{"a":"b"}', '["c"]', '["c"]'],
    ['{"a":"foo"}', 'null', 'null'],
    ['{"a":"foo"}', '"bar"', '"bar"'],
    ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
    ['[1,2]', '{"a":"b","c":null}', '{"a":"b"}'],
    ['{}', '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
  ])('turns %s by %s into %s', (target, patch, result) => {
    expect(toJsonText(mergePatch(parse(target), parse(patch)))).toBe(result);
  });

  it('builds from nothing where there was no target', () => {
    expect(mergePatch(undefined, { a: { b: 1, c: null } })).toEqual({ a: { b: 1 } });
    expect(mergePatch(undefined, 'x')).toBe('x');
  });

  it('leaves nulls inside an array alone', () => {
    expect(mergePatch({ a: 1 }, { a: [null, { b: null }] })).toEqual({ a: [null, { b: null }] });
  });

  it('keeps numbers that JavaScript cannot hold, in the target and in the patch', () => {
    const merged = mergePatch(parse('{"a":12345678901234567890,"b":{"c":1.0}}'), parse('{"b":{"d":1e400}}'));
    expect(toJsonText(merged)).toBe('{"a":12345678901234567890,"b":{"c":1.0,"d":1e400}}');
  });

  it('replaces an exact number instead of merging into it', () => {
    expect(toJsonText(mergePatch(parse('{"a":1.0}'), parse('{"a":{"b":1}}')))).toBe('{"a":{"b":1}}');
    expect(toJsonText(mergePatch(parse('{"a":{"b":1}}'), parse('{"a":-0}')))).toBe('{"a":-0}');
  });

  it('treats __proto__ as a member like any other', () => {
    const merged = mergePatch(parse('{"__proto__":{"a":1}}'), parse('{"__proto__":{"isAdmin":true}}'));
    expect(toJsonText(merged)).toBe('{"__proto__":{"a":1,"isAdmin":true}}');
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>)['isAdmin']).toBeUndefined();
    expect(toJsonText(mergePatch(merged, parse('{"__proto__":null}')))).toBe('{}');
  });

  it('does not mistake inherited members for members of the target', () => {
    expect(toJsonText(mergePatch({}, { constructor: { name: 'x' }, toString: null }))).toBe(
      '{"constructor":{"name":"x"}}',
    );
  });

  it('changes neither the target nor the patch', () => {
    fc.assert(
      fc.property(json, json, (target, patch) => {
        const before = JSON.stringify([target, patch]);
        mergePatch(deepFreeze(target), deepFreeze(patch));
        expect(JSON.stringify([target, patch])).toBe(before);
      }),
    );
  });

  it('changes nothing the second time', () => {
    fc.assert(
      fc.property(json, json, (target, patch) => {
        const once = mergePatch(target, patch);
        expect(sorted(mergePatch(once, patch))).toBe(sorted(once));
      }),
    );
  });

  it('agrees with the pseudo code of the RFC', () => {
    fc.assert(
      fc.property(json, json, (target, patch) => {
        expect(sorted(mergePatch(target, patch))).toBe(sorted(referenceMergePatch(target, patch)));
      }),
    );
  });
});

// There are only a few keys, so that target and patch often name the same member.
const { json } = fc.letrec<{ json: JsonValue; object: JsonValue; array: JsonValue; scalar: JsonValue }>((tie) => ({
  json: fc.oneof({ maxDepth: 4 }, tie('scalar'), tie('object'), tie('object'), tie('array')),
  object: fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__'), tie('json'), { maxKeys: 4 }),
  array: fc.array(tie('json'), { maxLength: 3 }),
  scalar: fc.oneof(fc.constant(null), fc.boolean(), fc.integer(), fc.string()),
}));

/** Follows RFC 7386, section 2, line by line. Objects without a prototype make plain assignment safe. */
function referenceMergePatch(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const result: Record<string, unknown> = Object.create(null);
  if (typeof target === 'object' && target !== null && !Array.isArray(target)) Object.assign(result, target);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else result[name] = referenceMergePatch(result[name], value);
  }
  return result;
}

function sorted(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sorted).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}:${sorted(member)}`);
  return `{${members.toSorted().join()}}`;
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) deepFreeze(member);
    Object.freeze(value);
  }
  return value;
}
