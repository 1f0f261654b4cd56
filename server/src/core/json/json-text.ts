import type { Steps } from '../steps/steps.ts';
import { tooManyValues } from './json-limits.ts';
import { ExactNumber, isJsonObject, type JsonScalar, type JsonValue } from './json-value.ts';

/** Writes a value as JSON and keeps the original text of each number. */
export function toJsonText(value: JsonValue): string {
  if (value instanceof ExactNumber) return value.text;
  if (Array.isArray(value)) return `[${value.map(toJsonText).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);

  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}:${toJsonText(member)}`);
  return `{${members.join(',')}}`;
}

/** The number of values written between two pauses, which takes about a millisecond. */
const valuesPerStep = 2_000;

/** Works like `toJsonText`, but in steps, for values that may be large. */
export function* jsonTextSteps(value: JsonValue, valuesMax = Number.POSITIVE_INFINITY): Steps<string> {
  const writing: Writing = { text: '', pieces: [], valuesMax, valueCount: 0, stepBegan: 0 };
  yield* writeSteps(value, writing);
  return writing.text + writing.pieces.join('');
}

interface Writing {
  /** The text written up to the last pause. */
  text: string;
  readonly pieces: string[];
  readonly valuesMax: number;
  valueCount: number;
  stepBegan: number;
}

function* writeSteps(value: JsonValue, writing: Writing): Steps<void> {
  const { pieces } = writing;
  if (typeof value !== 'object' || value === null || value instanceof ExactNumber) {
    pieces.push(toJsonText(value));
    return;
  }
  const isObject = isJsonObject(value);
  // The keys are read without the values at first. Reading both together took three times as long for an object with
  // 100,000 members (measured).
  const keys = isObject ? Object.keys(value) : undefined;
  const length = isObject ? (keys?.length ?? 0) : value.length;
  pieces.push(isObject ? '{' : '[');
  for (let index = 0; index < length; index += 1) {
    if (index > 0) pieces.push(',');
    const key = keys?.[index];
    if (key !== undefined) pieces.push(JSON.stringify(key), ':');
    const member = (isObject ? value[key ?? ''] : value[index]) ?? null;
    writing.valueCount += 1;
    if (writing.valueCount > writing.valuesMax) throw tooManyValues();
    if (typeof member === 'object' && member !== null) yield* writeSteps(member, writing);
    else pieces.push(JSON.stringify(member));
    if (writing.valueCount - writing.stepBegan >= valuesPerStep) {
      writing.stepBegan = writing.valueCount;
      writing.text += pieces.join('');
      pieces.length = 0;
      yield;
    }
  }
  pieces.push(isObject ? '}' : ']');
}

export function isScalar(value: JsonValue): value is JsonScalar {
  return typeof value !== 'object' || value === null || value instanceof ExactNumber;
}

/**
 * Returns a value as part of a longer text: strings unchanged, null as empty, everything else as JSON. Numbers keep
 * their original text, so two different numbers never look the same.
 */
export function toConcatenatedText(value: JsonValue): string {
  if (value === null) return '';
  return typeof value === 'string' ? value : toJsonText(value);
}

/**
 * Returns the length of a value as JSON without building it, so that a large one is rejected before anything is
 * allocated. Counting stops after `charactersMax`. Escapes are not counted: the real text can be up to six times as
 * long.
 */
export function jsonLengthUpTo(value: JsonValue, charactersMax: number): number {
  const pending: JsonValue[] = [value];
  let length = 0;
  for (let next = pending.pop(); next !== undefined && length <= charactersMax; next = pending.pop()) {
    if (isScalar(next)) {
      length += typeof next === 'string' ? next.length + 2 : toJsonText(next).length;
      continue;
    }
    length += 2;
    if (isJsonObject(next)) for (const key of Object.keys(next)) length += key.length + 4;
    else length += next.length;
    if (length <= charactersMax) for (const member of Object.values(next)) pending.push(member);
  }
  return length;
}
