import { finish, type Steps } from '../steps/steps.ts';

/** The number of characters compared between two pauses, which takes less than a millisecond. */
const charactersPerStep = 64 * 1024;

/**
 * Returns the position of the first occurrence at `from` or later, or -1, like `indexOf`. If a caller chooses both
 * texts, `indexOf` can take time proportional to the product of their lengths. This search takes time proportional to
 * their sum (Knuth, Morris, Pratt 1977).
 */
export function* findTextSteps(text: string, wanted: string, from = 0): Steps<number> {
  if (wanted === '') return Math.min(from, text.length);
  if (wanted.length > text.length - from) return -1;
  const borders = yield* bordersOf(wanted);
  let matched = 0;
  for (let at = from; at < text.length; at += 1) {
    if ((at - from) % charactersPerStep === charactersPerStep - 1) yield;
    const code = text.charCodeAt(at);
    while (matched > 0 && code !== wanted.charCodeAt(matched)) matched = borders[matched - 1] ?? 0;
    if (code === wanted.charCodeAt(matched)) matched += 1;
    if (matched === wanted.length) return at + 1 - matched;
  }
  return -1;
}

/** For separators up to this length, `split` needs so few comparisons per character that it is faster. */
const shortLengthMax = 32;

/** Splits like `split`, in time that grows with the length of the text alone. The separator must not be empty. */
export function splitText(text: string, separator: string): string[] {
  if (separator.length <= shortLengthMax) return text.split(separator);
  const pieces: string[] = [];
  let at = 0;
  for (let found = 0; ; at = found + separator.length) {
    found = finish(findTextSteps(text, separator, at));
    if (found < 0) return [...pieces, text.slice(at)];
    pieces.push(text.slice(at, found));
  }
}

/** Returns, for each prefix of a text, the length of its longest proper prefix that is also its suffix. */
function* bordersOf(text: string): Steps<Uint32Array> {
  const borders = new Uint32Array(text.length);
  let length = 0;
  for (let at = 1; at < text.length; at += 1) {
    if (at % charactersPerStep === 0) yield;
    const code = text.charCodeAt(at);
    while (length > 0 && code !== text.charCodeAt(length)) length = borders[length - 1] ?? 0;
    if (code === text.charCodeAt(length)) length += 1;
    borders[at] = length;
  }
  return borders;
}
