import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonSource } from './json-source.ts';
import { jsonTextSteps, toJsonText } from './json-text.ts';
import { ExactNumber, type JsonValue } from './json-value.ts';
import { parseJson, parseJsonSteps } from './parse-json.ts';
import { finish } from '../steps/steps.ts';

const parse = (text: string) => parseJson(text, { depthMax: 16 });

describe('parseJson', () => {
  it('agrees with JSON.parse on every value JavaScript can write', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        const text = JSON.stringify(value, null, 1);
        expect(JSON.parse(toJsonText(parse(text)))).toEqual(JSON.parse(text));
      }),
    );
  });

  it.each(['12345678901234567890', '1e400', '-0', '1.0', '0.1e1', '100000000000000000000000', '1E5', '1e-7'])(
    'gives the number %s back as it was written',
    (text) => {
      expect(toJsonText(parse(`{"a":[${text}]}`))).toBe(`{"a":[${text}]}`);
    },
  );

  it('reads ordinary numbers as numbers and others as exact text', () => {
    expect(parse('[1,-2.5,1e21]')).toEqual([1, -2.5, new ExactNumber('1e21')]);
  });

  it('keeps a member named __proto__ as data', () => {
    const value = parse('{"__proto__":{"isAdmin":true}}');
    expect(Object.hasOwn(value as object, '__proto__')).toBe(true);
    expect(({} as Record<string, unknown>)['isAdmin']).toBeUndefined();
    expect(toJsonText(value)).toBe('{"__proto__":{"isAdmin":true}}');
  });

  it.each([
    ['', 'Expected a value at offset 0.'],
    ['{', 'Expected a member name at offset 1.'],
    ['{"a":1,}', 'Expected a member name at offset 7.'],
    ['{"a" 1}', 'Expected ":" at offset 5.'],
    ['[1,]', 'Expected a value at offset 3.'],
    ['[1 2]', 'Expected "," at offset 3.'],
    ['{"a":1,"a":2}', 'Repeated member name at offset 10.'],
    ['{"a":1,"\\u0061":2}', 'Repeated member name at offset 15.'],
    ['01', 'Unexpected text after the document at offset 1.'],
    ['+1', 'Expected a value at offset 0.'],
    ['-', 'Malformed number at offset 0.'],
    ['.5', 'Expected a value at offset 0.'],
    ['"\\x"', 'Unknown escape at offset 3.'],
    ['"\\u12g4"', 'Malformed unicode escape at offset 3.'],
    ['"a', 'Unterminated string at offset 2.'],
    ['"\n"', 'Control character in a string at offset 1.'],
    ['nul', 'Expected a value at offset 0.'],
    ['NaN', 'Expected a value at offset 0.'],
    ['\ufeff{}', 'Expected a value at offset 0.'],
    ['1 2', 'Unexpected text after the document at offset 2.'],
  ])('refuses %j', (text, message) => {
    expect(() => parse(text)).toThrow(message);
  });

  it('writes in parts what it writes at once', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const parsed = parse(JSON.stringify(value));
        expect(finish(jsonTextSteps(parsed))).toBe(toJsonText(parsed));
      }),
    );
  });

  it('refuses a document deeper than the limit before it fills the stack', () => {
    const deep = '['.repeat(1_000_000);
    expect(() => parse(deep)).toThrow('Nested deeper than 16 levels at offset 16.');
  });

  it('remembers how data and escaped strings were spelled', () => {
    const source = new JsonSource();
    const text = '{"data" : { "n": 1.0, "s":"\\u0041" }, "list":["\\/","plain"], "type":"token"}';
    const value = parseJson(text, { depthMax: 8, source }) as Record<string, JsonValue>;
    const list = value['list'] as JsonValue[];

    expect(source.textOf(value, 'data', value['data'] ?? null)).toBe('{ "n": 1.0, "s":"\\u0041" }');
    expect(source.textOf(list, 0, '/')).toBe('"\\/"');
    expect(source.textOf(list, 1, 'plain')).toBe('"plain"');
  });

  it('remembers where strings with double braces are, and how to get there', () => {
    const source = new JsonSource();
    const text = '{"a":[1,{"b":"{{ x }}"}],"{{ name }}":"\\u007b{ y }}","c":"plain"}';
    parseJson(text, { depthMax: 8, source });
    expect(source.document).toBe(text);
    expect(source.textPlaces.map(({ text: meant, path }) => [meant, path])).toEqual([
      ['{{ x }}', ['a', 1, 'b']],
      ['{{ y }}', ['{{ name }}']],
    ]);
    expect(source.textPlaces.map(({ start, end }) => text.slice(start, end))).toEqual(['"{{ x }}"', '"\\u007b{ y }}"']);
  });

  it('refuses a document with more values than allowed, whatever they are', () => {
    expect(parseJson('[1,[2],{"a":3}]', { depthMax: 8, valuesMax: 6 })).toEqual([1, [2], { a: 3 }]);
    expect(() => parseJson('[1,[2],{"a":3}]', { depthMax: 8, valuesMax: 5 })).toThrow('A document can have at most');
  });

  it.each(['[1,1,1]', '[[],{}]', '{"a":null}', '[[[1]]]', '["\\n"]'])('pauses while it reads many of %s', (unit) => {
    const text = `[${Array.from({ length: 10_000 }, () => unit).join(',')}]`;
    expect([...parseJsonSteps(text, { depthMax: 8 })].length).toBeGreaterThanOrEqual(9);
    const value = parse(text);
    expect([...jsonTextSteps(value)].length).toBeGreaterThanOrEqual(4);
    expect(finish(jsonTextSteps(value))).toBe(toJsonText(value));
  });

  it('reads a megabyte of brackets, quotes and backslashes in 50 ms', () => {
    for (const unit of ['\\"', '[', '{"a":', '"', '\\\\', '1', ' ']) {
      const text = `"${unit.repeat(1_000_000 / unit.length)}`;
      const attempts = [1, 2, 3].map(() => cpuMs(() => expect(() => parse(text)).toThrow(/ at offset \d+\.$/)));
      expect(Math.min(...attempts)).toBeLessThan(50);
    }
  });
});

/** Returns processor time, so that a busy machine does not affect it. */
function cpuMs(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
