import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { compileMisspellings } from './misspelled-members.ts';

const Inner = Type.Object({ container: Type.String() });
const find = compileMisspellings(
  Type.Object({
    containers: Type.Optional(Type.Union([Type.Array(Type.String()), Type.Null()])),
    data: Type.Unknown(),
    metadata: Type.Optional(Type.Record(Type.String(), Type.String())),
    rules: Type.Optional(Type.Union([Type.Array(Inner), Type.Null()])),
    either: Type.Optional(Type.Union([Inner, Type.Object({ contained: Type.String() })])),
    closed: Type.Optional(Type.Object({ name: Type.String() }, { additionalProperties: false })),
  }),
);

describe('compileMisspellings', () => {
  it('finds them at any depth that the schema describes', () => {
    expect(find({ continers: 1, rules: [{ container: 'x' }, { contaner: 'x' }] }).paths).toEqual([
      ['containers'],
      ['rules', '1', 'container'],
    ]);
  });

  it.each([
    ['what the schema knows', { containers: [], data: 1, metadata: {}, rules: null }],
    ['what is like nothing', { privacy: 1 }],
    ['data of the caller', { data: { containrs: 1 }, metadata: { metadat: 'x' } }],
    ['what may be either of two things', { either: { containr: 1 } }],
    ['what is refused anyway', { closed: { nam: 1 } }],
    ['other types', { rules: 'x' }],
    ['no object', [1, null, 'containrs']],
    ['nothing', undefined],
  ])('leaves %s alone', (_, value) => {
    expect(find(value).paths).toEqual([]);
  });

  it('counts the members that are like nothing, at any depth that the schema describes', () => {
    const value = { privacy: 1, data: { any: 1 }, metadata: { any: 'x' }, rules: [{ container: 'x', encrypted: 1 }] };
    expect(find(value).unknownCount).toBe(2);
    expect(find({ containers: [], data: 1 }).unknownCount).toBe(0);
  });

  it('gives up on more unknown names than anybody mistypes', () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`unlike-anything-${index}`, 0]));
    expect(find({ continers: 1, ...many }).paths).toEqual([['containers']]);
    expect(find({ ...many, continers: 1 }).paths).toEqual([]);
  });
});
