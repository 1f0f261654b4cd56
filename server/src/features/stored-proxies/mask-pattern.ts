import { LRUCache } from 'lru-cache';
import { RE2JS, RE2JSException } from 're2js';

/**
 * The time that a pattern takes grows with its size and with the length of the text. Hostile ones took 40 ms
 * (measured).
 */
const programSizeMax = 60;
const expressionLengthMax = 400;
/** The maximum length of a text that a pattern is applied to at once, in UTF-16 code units. */
export const maskedTextLengthMax = 2_048;
/** The maximum number of matches in one text. Each match begins another search of the rest. */
const matchesMax = 256;

/** A pattern with a group, whose matches are masked. */
export interface MaskPattern {
  /** Returns where the group matches, one match in each step. Throws if there are too many. */
  find(text: string): Generator<readonly [number, number], void, undefined>;
}

/** Thrown for a text that a pattern cannot be applied to in a short time. */
export class MaskLimit extends Error {}

/** Every call prepares the transforms of its proxy, and compiling takes a few milliseconds. */
const compiled = new LRUCache<string, MaskPattern | { readonly wrong: string }>({ max: 1_000 });

/** Compiles a pattern. Returns what is wrong with it as a text, which repeats nothing of it. */
export function compileMask(expression: string): MaskPattern | { readonly wrong: string } {
  if (expression.length > expressionLengthMax) return { wrong: `must have at most ${expressionLengthMax} characters` };
  const known = compiled.get(expression) ?? compile(expression);
  compiled.set(expression, known);
  return known;
}

const tooLarge = { wrong: 'is too large; use smaller repetitions' };

function compile(expression: string): MaskPattern | { readonly wrong: string } {
  if (countRepeats(expression) > 8) return { wrong: 'must have at most 8 counted repetitions' };
  if (hasLargeRepeat(expression)) return tooLarge;
  const pattern = tryCompile(expression);
  if (pattern === undefined) return { wrong: 'must be a regular expression in the syntax of RE2' };
  if (pattern.groupCount() < 1) return { wrong: 'must have a capture group, which is what is masked' };
  if (pattern.programSize() > programSizeMax) return tooLarge;
  return {
    *find(text) {
      if (text.length > maskedTextLengthMax) throw new MaskLimit();
      const matcher = pattern.matcher(text);
      for (let count = 0; matcher.find(); count += 1) {
        if (count === matchesMax) throw new MaskLimit();
        // Without the group, there is nothing to mask, but the time has passed.
        yield matcher.start(1) < 0 ? [0, 0] : [matcher.start(1), matcher.end(1)];
      }
    },
  };
}

function tryCompile(expression: string): RE2JS | undefined {
  try {
    return RE2JS.compile(expression);
  } catch (error) {
    if (error instanceof RE2JSException) return undefined;
    throw error;
  }
}

/** Counts repetitions such as `{2,9}`. Nested ones multiply, and are expanded before their size is known. */
function countRepeats(expression: string): number {
  return expression.split('{').length - 1;
}

/** Returns true for a repetition that makes the pattern too large by itself. Expanding it would take half a second. */
function hasLargeRepeat(expression: string): boolean {
  return [...expression.matchAll(/\{(?:\d+,)?(\d+)/g)].some(([, count]) => Number(count) > programSizeMax);
}
