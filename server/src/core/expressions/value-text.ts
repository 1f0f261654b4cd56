import { toJsonText } from '../json/json-text.ts';
import { ExactNumber, type JsonScalar, type JsonValue } from '../json/json-value.ts';

export function isScalar(value: JsonValue): value is JsonScalar {
  return typeof value !== 'object' || value === null || value instanceof ExactNumber;
}

/**
 * A value inside a longer text: strings as they are, null as nothing, everything else as JSON. Numbers keep the text
 * they arrived with, so two different numbers never read alike.
 */
export function toConcatenatedText(value: JsonValue): string {
  if (value === null) return '';
  return typeof value === 'string' ? value : toJsonText(value);
}

/**
 * The length of a value as JSON, without building it. Counting stops past `charactersMax`; escapes are not counted, so
 * the real text can be up to six times as long.
 */
export function jsonLengthUpTo(value: JsonValue, charactersMax: number): number {
  const pending: JsonValue[] = [value];
  let length = 0;
  for (let next = pending.pop(); next !== undefined && length <= charactersMax; next = pending.pop()) {
    if (isScalar(next)) {
      length += typeof next === 'string' ? next.length + 2 : toJsonText(next).length;
    } else if (Array.isArray(next)) {
      length += next.length + 1;
      if (length <= charactersMax) pending.push(...members(next));
    } else {
      const keys = Object.keys(next);
      length += keys.reduce((sum, key) => sum + key.length + 4, 2);
      if (length <= charactersMax) pending.push(...members(Object.values(next)));
    }
  }
  return length;
}

function members(values: readonly JsonValue[]): readonly JsonValue[] {
  return values;
}
