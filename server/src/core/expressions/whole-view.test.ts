import { describe, expect, it } from 'vitest';
import { ExactNumber, type JsonValue } from '../json/json-value.ts';
import { finish } from '../steps/steps.ts';
import { showsAllSteps } from './whole-view.ts';

const card = { number: '4012888888881881', expiration_month: 12, expiration_year: 2030 };
const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`member${index}`, `value ${index}`]));

describe('a view shows all of the data', () => {
  it.each<[string, JsonValue, JsonValue, string?]>([
    ['as it is', 'secret', 'secret'],
    ['inside another text', 'It is secret!', 'secret'],
    ['in another case', 'SECRET', 'secret'],
    ['in groups', '4012 8888 8888 1881', '4012888888881881'],
    ['without its groups', '4012888888881881', '4012-8888-8888-1881'],
    ['in two members', ['4012888', '888881881'], '4012888888881881'],
    ['as JSON text', '{"a":"x","b":[1,"y"]}', { a: 'x', b: [1, 'y'] }],
    ['as JSON text with escapes', JSON.stringify({ a: 'one\ntwo "three"' }), { a: 'one\ntwo "three"' }],
    ['in another order', { y: 'two', x: 'one' }, { a: 'one', b: 'two' }],
    ['as a number', 4711, { pin: 4711 }],
    ['as an exact number', '12345678901234567890', { value: new ExactNumber('12345678901234567890') }],
    ['with many members', many, many],
    ['with many members as JSON text', JSON.stringify(many), many],
    ['by the member that it is about', { n: '4012888888881881' }, card, 'number'],
    ['by all of it where that member is missing', 'x', { other: 'x' }, 'number'],
  ])('%s', (_name, view, data, essential) => {
    expect(finish(showsAllSteps(view, data, essential))).toBe(true);
  });
});

describe('a view does not show all of the data', () => {
  it.each<[string, JsonValue, JsonValue, string?]>([
    ['where it has the end of it', 'XXXXXXXXXXXX1881', '4012888888881881'],
    ['where one member is missing', 'one', { a: 'one', b: 'two' }],
    ['where it is a text of its own', 'hidden', 'secret'],
    ['where there is nothing', null, 'secret'],
    ['where one of many members is missing', { ...many, member499: 'X' }, many],
    ['where there is nothing to be seen', 'a view', { a: null, b: true, c: '' }],
    ['where the member that it is about is masked', { number: 'XXXX1881', m: 12, y: 2030 }, card, 'number'],
  ])('%s', (_name, view, data, essential) => {
    expect(finish(showsAllSteps(view, data, essential))).toBe(false);
  });
});
