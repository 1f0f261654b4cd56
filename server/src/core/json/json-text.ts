import { ExactNumber, type JsonValue } from './json-value.ts';

/** Writes a value as JSON, every number with the text it was read with. */
export function toJsonText(value: JsonValue): string {
  if (value instanceof ExactNumber) return value.text;
  if (Array.isArray(value)) return `[${value.map(toJsonText).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);

  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}:${toJsonText(member)}`);
  return `{${members.join(',')}}`;
}
