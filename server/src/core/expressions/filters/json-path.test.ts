import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../json/json-value.ts';
import { parseJson } from '../../json/parse-json.ts';
import { findMatches, parseJsonPath } from './json-path.ts';

const find = (path: string, value: JsonValue) => findMatches(value, parseJsonPath(path, 0), () => {});

describe('JSONPath', () => {
  it.each<[string, JsonValue, readonly JsonValue[]]>([
    ['$', 'x', ['x']],
    ['$.a', { a: 1 }, [1]],
    ['$.a.b', { a: { b: null } }, [null]],
    ["$['a b']", { 'a b': 1 }, [1]],
    ['$["a\'b"]', { "a'b": 1 }, [1]],
    ["$['']", { '': 1 }, [1]],
    ['$[1]', ['a', 'b'], ['b']],
    ['$[-1]', ['a', 'b'], ['b']],
    ['$.list[0].name', { list: [{ name: 'x' }] }, ['x']],
    ['$[*]', [1, 2], [1, 2]],
    ['$.*', { a: 1, b: 2 }, [1, 2]],
    ['$.list[*].b', { list: [{ a: 1 }, { b: 2 }] }, [2]],
    ['$.expiration-month', { 'expiration-month': 1 }, [1]],
    ['$.日本', { 日本: 1 }, [1]],
    ['$.0', { '0': 'member' }, ['member']],
    ['$[9]', ['a'], []],
    ['$[-9]', ['a'], []],
    ['$.a', ['a'], []],
    ['$[0]', 'text', []],
    ['$.length', ['a'], []],
    ['$.length', 'text', []],
    ['$[0]', { '0': 'member' }, []],
  ])('%s of %j is %j', (path, value, expected) => {
    expect(find(path, value)).toEqual(expected);
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('finds %s only where it is data', (name) => {
    expect(find(`$.${name}`, {})).toEqual([]);
    expect(find(`$['${name}']`, [])).toEqual([]);
    expect(find(`$.${name}`, parseJson(`{"${name}":1}`, { depthMax: 2 }))).toEqual([1]);
  });

  it.each([
    '',
    'a',
    'a.b',
    '.a',
    '$a',
    '$.',
    '$..a',
    '$.a.',
    '$[',
    '$[]',
    '$[a]',
    "$['a]",
    "$['a'",
    "$['a' ]",
    '$[1:2]',
    '$[0,1]',
    '$[?(@.a)]',
    '$[1.5]',
    '$[0x1]',
    '$.a[?(@.b<1)]',
    '$.a b',
    '$**',
    '$.a()',
    '@.a',
    `$${'.a'.repeat(17)}`,
  ])('refuses %s', (path) => {
    expect(() => parseJsonPath(path, 7)).toThrow(expect.objectContaining({ reason: 'bad-json-path', offset: 7 }));
  });

  it('announces what it is about to visit, so that the caller can stop it', () => {
    const wide = Array.from({ length: 200 }, () => ({ a: { x: 1, y: 2 } }));
    const counts: number[] = [];
    findMatches(wide, parseJsonPath('$[*].a.*', 0), (count) => counts.push(count));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(200 + 200 + 200 + 200 * 2 + 400);

    const visitNone = () => {
      throw new RangeError('stopped');
    };
    expect(() => findMatches(wide, parseJsonPath('$[*]', 0), visitNone)).toThrow('stopped');
  });
});
