import { describe, expect, it } from 'vitest';
import { english } from './field/problems/english.ts';
import { texts } from './texts.ts';

const placesOf = (language: object) =>
  Object.entries(language).flatMap(([input, sentences]: [string, object]) =>
    Object.keys(sentences).map((reason) => `${input}.${reason}`),
  );

describe('the sentences', () => {
  it('are in ten languages', () => {
    expect(['en', ...Object.keys(texts)]).toHaveLength(10);
  });

  it.each(Object.entries(texts))('in %s are complete, and each ends', (language, sentences) => {
    expect(placesOf(sentences).toSorted()).toEqual(placesOf(english).toSorted());
    const all = Object.values(sentences).flatMap((one) => Object.values(one));
    expect(all.filter((sentence) => !/[.。]$/.test(sentence))).toEqual([]);
    expect(new Set(all).size, language).toBe(all.length);
  });
});
