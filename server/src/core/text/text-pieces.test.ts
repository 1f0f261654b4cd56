import { describe, expect, it } from 'vitest';
import { finish } from '../steps/steps.ts';
import { mapPiecesSteps } from './text-pieces.ts';

describe('mapPiecesSteps', () => {
  it.each([
    ['an empty text', ''],
    ['a short text', 'é&😀'],
    ['a long text', 'é&'.repeat(100_000)],
    ['a text of characters of two code units', '😀'.repeat(100_000)],
    ['such a text, moved by one', `a${'😀'.repeat(100_000)}`],
  ])('encodes %s as at once', (_name, text) => {
    expect(finish(mapPiecesSteps(text, encodeURIComponent))).toBe(encodeURIComponent(text));
  });

  it('pauses between two pieces', () => {
    const steps = mapPiecesSteps('a'.repeat(65_536 * 3), (piece) => piece);
    expect([steps.next().done, steps.next().done, steps.next().done]).toEqual([false, false, true]);
  });

  it('keeps half a character at the end', () => {
    expect(finish(mapPiecesSteps(`${'a'.repeat(65_535)}\ud83d`, (piece) => piece))).toHaveLength(65_536);
  });
});
