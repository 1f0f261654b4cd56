import { describe, expect, it } from 'vitest';
import { allOf, always, listed, optional, readFrom, required, whereSet } from './reading.ts';
import type { Setting } from './setting.ts';
import { parseText, wholeNumber } from './setting-parsers.ts';

interface Shape {
  readonly name: string;
  readonly size: number;
  readonly note?: string | undefined;
}

const row = { expectation: 'something', example: 'x' };
const name: Setting<string> = { ...row, variable: 'NAME', parse: parseText };
const size: Setting<number> = { ...row, variable: 'SIZE', parse: wholeNumber(1, 9) };
const note: Setting<string> = { ...row, variable: 'NOTE', parse: parseText };

const shape = allOf<Shape>({ name: required(name), size: required(size), note: optional(note) });

describe('allOf', () => {
  it('makes a frozen object of all members', () => {
    const read = readFrom({ NAME: 'a', SIZE: '3' }, shape);
    expect(read).toEqual({ name: 'a', size: 3, note: undefined });
    expect(Object.isFrozen(read)).toBe(true);
  });

  it('reports every problem, of members, lists and what is inside them, and what kind it is', () => {
    const nested = allOf<{ inner: Shape; rest: readonly string[]; extra: number | undefined }>({
      inner: shape,
      rest: listed([required(note), always('b')]),
      extra: whereSet(size, required(size)),
    });
    expect(() => readFrom({ SIZE: 'ten' }, nested)).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(/^The configuration is neither complete nor valid:\n/),
        problems: [
          { ...row, variable: 'NAME', kind: 'missing', problem: 'is not set' },
          { ...row, variable: 'SIZE', kind: 'invalid', problem: 'is not valid' },
          { ...row, variable: 'NOTE', kind: 'missing', problem: 'is not set' },
          { ...row, variable: 'SIZE', kind: 'invalid', problem: 'is not valid' },
        ],
      }),
    );
  });

  it('says in its first line whether something is missing or not valid', () => {
    expect(() => readFrom({ SIZE: '3' }, shape)).toThrow(/^The configuration is not complete:\n/);
    expect(() => readFrom({ NAME: 'a', SIZE: '0' }, shape)).toThrow(/^The configuration is not valid:\n/);
  });
});

// The compiler runs this test: if it accepted one of these lines, the unused `@ts-expect-error` would be an error.
describe('a member that is forgotten or of another type', () => {
  it('does not compile', () => {
    // @ts-expect-error: without `size`
    allOf<Shape>({ name: required(name), note: optional(note) });
    // @ts-expect-error: without `note`, although it may be absent
    allOf<Shape>({ name: required(name), size: required(size) });
    // @ts-expect-error: a text is not a number
    allOf<Shape>({ name: required(name), size: required(note), note: optional(note) });
    // @ts-expect-error: it may be absent, but the member must be present
    allOf<Shape>({ name: optional(name), size: required(size), note: optional(note) });
    // @ts-expect-error: with an unknown member
    allOf<Shape>({ name: required(name), size: required(size), note: optional(note), color: always('red') });
    expect(shape).toBeTypeOf('function');
  });
});
