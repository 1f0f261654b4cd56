import { serialize } from 'node:v8';
import { format, inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../json/json-value.ts';
import { Sensitive } from './sensitive.ts';

const secret = '4242424242424242';
const values: readonly [string, JsonValue][] = [
  ['a text', secret],
  ['an object', { number: secret, nested: [{ number: secret }] }],
  ['an array', [secret, secret]],
  ['a number', Number(secret)],
];

describe.each(values)('%s that is sensitive', (_name, value) => {
  const sensitive = new Sensitive(value);

  it('is the very same value again, when asked for', () => {
    expect(sensitive.reveal()).toBe(value);
  });

  it.each<[string, (sensitive: Sensitive<JsonValue>) => string]>([
    ['JSON.stringify', (it) => JSON.stringify({ data: it, list: [it] })],
    ['string concatenation', (it) => 'data: '.concat(String(it))],
    ['a template', (it) => `data: ${it.toString()}`],
    ['addition', (it) => ['', it].join('')],
    ['console.log', (it) => format('%s %o %O %j', it, it, it, it)],
    ['console.log of what holds it', (it) => format({ token: { data: it } })],
    ['util.inspect with everything shown', (it) => inspect(it, { showHidden: true, depth: null, getters: true })],
    ['util.inspect without custom functions', (it) => inspect({ it }, { customInspect: false, showHidden: true })],
    ['the message of an error', (it) => inspect(new Error(`refused: ${String(it)}`, { cause: { data: it } }))],
    ['a spread', (it) => JSON.stringify({ ...it })],
    ['its own members', (it) => JSON.stringify([Reflect.ownKeys(it), Object.entries(it)])],
    ['a copy for another thread', (it) => JSON.stringify(structuredClone({ ...it }))],
    ['serialisation', (it) => serialize({ ...it }).toString('latin1')],
  ])('is not shown by %s', (_way, print) => {
    expect(print(sensitive)).not.toContain('4242');
  });
});

describe('two sensitive values in a test', () => {
  it('are equal if what they hold is, and not because both are hidden', () => {
    expect({ data: new Sensitive({ a: [1] }) }).toEqual({ data: new Sensitive({ a: [1] }) });
    expect({ data: new Sensitive({ a: [1] }) }).not.toEqual({ data: new Sensitive({ a: [2] }) });
    expect(new Sensitive('a')).not.toEqual(new Sensitive('b'));
    expect({ data: new Sensitive('a') }).not.toEqual({ data: 'a' });
  });
});
