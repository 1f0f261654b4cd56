import { toJsonText } from '../json/json-text.ts';
import { ExactNumber, isJsonObject, type JsonScalar, type JsonValue } from '../json/json-value.ts';

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
