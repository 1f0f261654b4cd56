import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../json/json-value.ts';
import { showsEveryDigit } from './shown-digits.ts';

const number = '4242424242424242';
type Cut = (text: string) => string;
const slice =
  (from: number, to?: number): Cut =>
  (text) =>
    text.slice(from, to);
const shows = (value: JsonValue, ...cuts: Cut[]) =>
  showsEveryDigit((data) => cuts.map((cut) => cut(data as string)), value);

describe('a number is shown by', () => {
  it.each<[string, string, Cut[]]>([
    ['itself', number, [slice(0)]],
    ['its halves in any order', number, [slice(8), slice(0, 8)]],
    ['three parts', number, [slice(0, 8), slice(8, 12), slice(-4)]],
    ['parts that overlap', number, [slice(0, 10), slice(6)]],
    ['single digits', '4711', [slice(3), slice(1, 2), slice(0, 1), slice(2, 3)]],
    ['all but one of many digits', number, [slice(0, 11), slice(12)]],
    ['parts between words', number, [(text) => `starts with ${text.slice(0, 8)}`, (text) => `then ${text.slice(8)}.`]],
    ['a number of it', '0012', [(text) => String(Number(text))]],
    ['the digits without their signs', '123-45-6789', [(text) => text.replaceAll('-', '')]],
  ])('%s', (_name, value, cuts) => {
    expect(shows(value, ...cuts)).toBe(true);
  });
});

describe('a number is not shown by', () => {
  it.each<[string, JsonValue, Cut[]]>([
    ['nothing', number, []],
    ['its beginning and end', number, [slice(0, 8), slice(-4)]],
    ['the same part twice, though its digits are everywhere', number, [slice(-4), slice(-4), slice(0, 4)]],
    ['all but two of its digits', number, [slice(0, 10), slice(12)]],
    ['all but one of few digits', '4711', [slice(0, 3)]],
    ['text that happens to be equal', number, [() => number]],
    ['a text without digits', 'secret', [slice(0)]],
    ['a text that is long', '4'.repeat(41), [slice(0)]],
  ])('%s', (_name, value, cuts) => {
    expect(shows(value, ...cuts)).toBe(false);
  });
});

it('judges the essential member of an object', () => {
  const data = { number, name: 'Ada' };
  const of = (name: string) => (value: JsonValue) => [(value as Record<string, string>)[name] ?? ''];
  expect(showsEveryDigit(of('number'), data, 'number')).toBe(true);
  expect(showsEveryDigit(of('name'), data, 'number')).toBe(false);
  expect(showsEveryDigit(of('number'), data)).toBe(false);
});
