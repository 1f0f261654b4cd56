import { describe, expect, it } from 'vitest';
import { always, group, listed, optional, optionalSetting, setting, settingWithDefault, whereSet } from './reading.ts';
import { parseText, wholeNumber } from './setting-parsers.ts';

interface Shape {
  readonly name: string;
  readonly size: number;
  readonly note?: string | undefined;
}

const row = { expectation: 'something', example: 'x' };
const name = setting('NAME', parseText, row);
const size = setting('SIZE', wholeNumber(1, 9), row);
const note = setting('NOTE', parseText, row);

const shape = group<Shape>({ name, size, note: optional(note) });

describe('group', () => {
  it('makes a frozen object of all members', () => {
    const read = shape.read({ NAME: 'a', SIZE: '3' });
    expect(read).toEqual({ name: 'a', size: 3, note: undefined });
    expect(Object.isFrozen(read)).toBe(true);
  });

  it('reports every problem, of members, lists and what is inside them, and what kind it is', () => {
    const nested = group({ inner: shape, rest: listed([note, always('b')]), extra: whereSet(size, size) });
    expect(() => nested.read({ SIZE: 'ten' })).toThrow(
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
    expect(() => shape.read({ SIZE: '3' })).toThrow(/^The configuration is not complete:\n/);
    expect(() => shape.read({ NAME: 'a', SIZE: '0' })).toThrow(/^The configuration is not valid:\n/);
  });

  it('knows each setting that is read in it once, in order', () => {
    const nested = group({ first: note, inner: shape, rest: listed([whereSet(size, name), always('b')]) });
    expect(nested.settings.map(({ variable }) => variable)).toEqual(['NOTE', 'NAME', 'SIZE']);
  });

  it('is read only if its first setting is set, where it is optional', () => {
    expect(optional(shape).read({ SIZE: '3', NOTE: 'b' })).toBeUndefined();
    expect(optional(shape).read({ NAME: 'a', SIZE: '3' })?.name).toBe('a');
    expect(() => optional(shape).read({ NAME: 'a' })).toThrow('SIZE is not set');
  });

  it('passes on an error that is not about the configuration', () => {
    const broken = setting('NAME', () => raise(), row);
    expect(() => group({ broken }).read({ NAME: 'a' })).toThrow('broken');
  });
});

describe('a setting with a default', () => {
  it('has it as example, unless there is a better one', () => {
    const { expectation } = row;
    expect(settingWithDefault('SIZE', wholeNumber(1, 9), 3, { expectation }).details.example).toBe('3');
    expect(settingWithDefault('SIZE', wholeNumber(1, 9), 3, row).details.example).toBe('x');
  });
});

// The compiler runs this test: if it accepted one of these lines, the unused `@ts-expect-error` would be an error.
describe('a member that is forgotten or of another type', () => {
  it('does not compile', () => {
    const mayBeAbsent = optionalSetting('NOTE', parseText, row);
    // @ts-expect-error: without `size`
    group<Shape>({ name, note: mayBeAbsent });
    // @ts-expect-error: without `note`, although it may be absent
    group<Shape>({ name, size });
    // @ts-expect-error: a text is not a number
    group<Shape>({ name, size: note, note: mayBeAbsent });
    // @ts-expect-error: it may be absent, but the member must be present
    group<Shape>({ name: optional(name), size, note: mayBeAbsent });
    // @ts-expect-error: with an unknown member
    group<Shape>({ name, size, note: mayBeAbsent, color: always('red') });
    // @ts-expect-error: a text is not a number
    settingWithDefault('SIZE', wholeNumber(1, 9), '3', row);
    expect(shape.settings).toHaveLength(3);
  });
});

function raise(): never {
  throw new Error('broken');
}
