import { ExactNumber, isJsonObject, type JsonArray, type JsonObject, type JsonValue } from '../json/json-value.ts';
import type { Steps } from '../steps/steps.ts';

/**
 * Up to this many values are searched for anywhere in a view. If there are more, they are only found in the order of
 * the data.
 */
const anywhereValuesMax = 64;
const anywhereLengthMax = 64 * 1024;
const valuesAStep = 1_000;
const lengthAStep = 64 * 1024;

/**
 * Returns true if a view of some data shows all of it: every text and number of the data is in the view, regardless of
 * separators, spacing and spelling. If the data has an essential member, such as the number of a card, that one is
 * enough.
 */
export function* showsAllSteps(view: JsonValue, data: JsonValue, essential?: string): Steps<boolean> {
  const shown = yield* lettersOf((yield* textsOf(view)).join(''));
  const wanted = yield* textsOf(essentialOf(data, essential));
  const isAnywhere = wanted.length <= anywhereValuesMax && shown.length <= anywhereLengthMax;
  let [at, found] = [0, 0];
  for (const [index, text] of wanted.entries()) {
    if (index % valuesAStep === 0) yield;
    const letters = yield* lettersOf(text, shown.length);
    if (letters === '') continue;
    if (letters.length > shown.length) return false;
    const place = endOf(letters, shown, at) ?? endOf(yield* lettersOf(JSON.stringify(text), shown.length), shown, at);
    if (place === undefined && !(isAnywhere && shown.includes(letters))) return false;
    at = place ?? at;
    found += 1;
  }
  return found > 0;
}

function essentialOf(data: JsonValue, name: string | undefined): JsonValue {
  const member = name !== undefined && isJsonObject(data) ? data[name] : undefined;
  return member ?? data;
}

/** Returns the end of the first occurrence of a spelling at this position or later. */
function endOf(spelling: string, text: string, at: number): number | undefined {
  const place = text.indexOf(spelling, at);
  return place < 0 ? undefined : place + spelling.length;
}

/** Returns every text and number, in order. Keys, booleans and null say little by themselves. */
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
 * Returns only letters and digits, in lower case, because blanks and punctuation between them hide nothing. Stops soon
 * after `max` characters.
 */
function* lettersOf(text: string, max = Number.POSITIVE_INFINITY): Steps<string> {
  let letters = '';
  for (let at = 0; at < text.length && letters.length <= max; at += lengthAStep) {
    if (at > 0) yield;
    letters += text
      .slice(at, at + lengthAStep)
      .replaceAll(/[^\p{L}\p{N}]+/gu, '')
      .toLowerCase();
  }
  return letters;
}
