import { describe, expect, it } from 'vitest';
import { longestStep } from '../../../test/harness/longest-step.ts';
import { SeededRandom } from '../../core/random/seeded-random.ts';
import { compileMask, maskedTextLengthMax, MaskLimit } from './mask-pattern.ts';

const patternsMax = 1_000;
/** The time that one step may take, in milliseconds. */
const stepMs = 50;
const atoms = String.raw`a . \d \w [a-z] (a|aa) (a|b|ab) (?:a?) \b [^x] (?i:aA) \s .*`.split(' ');
const repeats = ['', '*', '+', '?', '*?', '{0,20}', '{1,9}', '{30}'];
const texts = ['a', '4', 'ab ', '"number":"4242424242424242",'].map((text) =>
  text.repeat(maskedTextLengthMax / text.length).slice(0, maskedTextLengthMax),
);

function drawPattern(random: SeededRandom, depth: number): string {
  const pick = (list: readonly string[]) => list[random.below(list.length)] ?? '';
  const parts = Array.from({ length: 1 + random.below(5) }, () => {
    const inside = depth > 0 && random.below(3) === 0 ? `(${drawPattern(random, depth - 1)})` : pick(atoms);
    return `${inside}${pick(repeats)}${random.below(6) === 0 ? '|' : ''}`;
  });
  return parts.join('');
}

describe('compileMask', () => {
  it('accepts no pattern that takes long over any text', { timeout: 300_000 }, () => {
    const random = new SeededRandom(46);
    const slow: string[] = [];
    for (let accepted = 0; accepted < patternsMax; ) {
      const expression = `(${drawPattern(random, 3)})`;
      const pattern = compileMask(expression);
      if ('wrong' in pattern) continue;
      accepted += 1;
      for (const text of texts) {
        // Collecting garbage and compiling machine code can happen in any step, but not in the same one three times.
        const isSlow = [1, 2, 3].every(() => longestStep(pattern.find(text)) > stepMs);
        if (isSlow) slow.push(expression);
      }
    }
    expect(slow).toEqual([]);
  });

  it.each([
    ['a', 'must have a capture group, which is what is masked'],
    ['(a', 'must be a regular expression in the syntax of RE2'],
    [String.raw`(a)\1`, 'must be a regular expression in the syntax of RE2'],
    ['(a(?=b))', 'must be a regular expression in the syntax of RE2'],
    ['(a{500})', 'is too large; use smaller repetitions'],
    ['((((((((((a{2}){2}){2}){2}){2}){2}){2}){2}){2}){2}', 'must have at most 8 counted repetitions'],
    ['a'.repeat(401), 'must have at most 400 characters'],
  ])('refuses %s', (expression, wrong) => {
    expect(compileMask(expression)).toEqual({ wrong });
  });

  it('finds where the group matches', () => {
    const pattern = compileMask(String.raw`card=(\d{12})\d{4}`);
    if ('wrong' in pattern) throw new Error(pattern.wrong);
    expect([...pattern.find('card=4242424242424242 card=5555555555554444')]).toEqual([
      [5, 17],
      [27, 39],
    ]);
    expect(() => [...pattern.find('x'.repeat(maskedTextLengthMax + 1))]).toThrow(MaskLimit);
  });
});
