import type { RequestBudget } from '../budget/request-budget.ts';
import { ExactNumber, isJsonObject, type JsonArray, type JsonObject, type JsonValue } from '../json/json-value.ts';
import type { Steps } from '../steps/steps.ts';
import { findTextSteps } from '../text/find-text.ts';
import { pieceEnd } from '../text/text-pieces.ts';

/**
 * Up to this many values are searched for anywhere in a view. If there are more, they are only searched for in the
 * order of the data, because a single pass over the view can then find them all.
 */
const anywhereValuesMax = 64;
const anywhereLengthMax = 64 * 1024;
const valuesAStep = 1_000;
/** Searching takes about an eighth of the time that the slowest filter takes for the same number of characters. */
const searchedPerCharacter = 8;

/** Views show a text either unchanged or, inside JSON text, with escapes. */
type Spelling = (text: string) => string;
const spellings: readonly [Spelling, Spelling] = [(text) => text, (text) => JSON.stringify(text)];

/**
 * Returns true if a view of some data shows all of it: every text and number of the data is in the view, regardless of
 * separators, spacing and spelling. If the data has an essential member, such as the number of a card, that one is
 * enough. The time grows with the lengths of view and data, whatever they contain. Searching for values anywhere takes
 * one pass over the view per value. These passes are charged to the budget, because a mask can expand a short value
 * into a long view in each of a thousand tokens.
 */
export function* showsAllSteps(
  view: JsonValue,
  data: JsonValue,
  essential?: string,
  budget?: RequestBudget,
): Steps<boolean> {
  const shown = yield* lettersOf((yield* textsOf(view)).join(''));
  const wanted = yield* textsOf(essentialOf(data, essential));
  if (wanted.length <= anywhereValuesMax && shown.length <= anywhereLengthMax) {
    return yield* showsAnywhere(shown, wanted, budget);
  }
  const [plain, escaped] = spellings;
  return (yield* showsInOrder(shown, wanted, plain)) || (yield* showsInOrder(shown, wanted, escaped));
}

/** Returns true if each value is somewhere in the view, in one spelling or the other. */
function* showsAnywhere(shown: string, wanted: readonly string[], budget: RequestBudget | undefined): Steps<boolean> {
  let found = 0;
  for (const text of new Set(wanted)) {
    yield;
    budget?.spend('evaluatedCharacters', Math.ceil(shown.length / searchedPerCharacter));
    const [plain, escaped] = spellings;
    const letters = yield* lettersOf(text, shown.length, plain);
    if (letters === '') continue;
    if ((yield* findTextSteps(shown, letters)) < 0) {
      const others = yield* lettersOf(text, shown.length, escaped);
      if (others === letters || (yield* findTextSteps(shown, others)) < 0) return false;
    }
    found += 1;
  }
  return found > 0;
}

/** Returns true if all values are in the view in their order, in this spelling. */
function* showsInOrder(shown: string, wanted: readonly string[], spell: Spelling): Steps<boolean> {
  let [at, found] = [0, 0];
  for (const text of wanted) {
    yield;
    const letters = yield* lettersOf(text, shown.length, spell);
    if (letters === '') continue;
    const place = yield* findTextSteps(shown, letters, at);
    if (place < 0) return false;
    at = place + letters.length;
    found += 1;
  }
  return found > 0;
}

function essentialOf(data: JsonValue, name: string | undefined): JsonValue {
  const member = name !== undefined && isJsonObject(data) ? data[name] : undefined;
  return member ?? data;
}

/** Returns every text and number, in order. Keys, booleans and null reveal little by themselves. */
function* textsOf(value: JsonValue): Steps<string[]> {
  const texts: string[] = [];
  const waiting: JsonValue[] = [value];
  for (let count = 0; waiting.length > 0; count += 1) {
    if (count % valuesAStep === 0) yield;
    const next = waiting.pop();
    if (typeof next === 'string') texts.push(next);
    else if (typeof next === 'number') texts.push(String(next));
    else if (next instanceof ExactNumber) texts.push(next.text);
    else if (typeof next === 'object' && next !== null)
      for (const member of membersOf(next).toReversed()) waiting.push(member);
  }
  return texts;
}

function membersOf(value: JsonArray | JsonObject): readonly JsonValue[] {
  return isJsonObject(value) ? Object.values(value) : value;
}

/**
 * Returns only the letters and digits of a spelling, in lower case, because blanks and punctuation between them hide
 * nothing. Stops soon after `max` characters.
 */
function* lettersOf(text: string, max = Number.POSITIVE_INFINITY, spell = spellings[0]): Steps<string> {
  let letters = '';
  for (let at = 0, end = 0; at < text.length && letters.length <= max; at = end) {
    if (at > 0) yield;
    end = pieceEnd(text, at);
    letters += spell(text.slice(at, end))
      .replaceAll(/[^\p{L}\p{N}]+/gu, '')
      .toLowerCase();
  }
  return letters;
}
