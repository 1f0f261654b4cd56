import { isRecord } from '../../protocol/parse.ts';
import { isToken } from './token-response.ts';

/** Visits the tokens in a `tokenize` request, at any depth. */
export function visitTokens(value: unknown, visit: (token: Readonly<Record<string, unknown>>) => void): void {
  if (isToken(value)) visit(value);
  else if (typeof value === 'object' && value !== null)
    for (const member of Object.values(value)) visitTokens(member, visit);
}

export function mapTokens(value: unknown, map: (token: Readonly<Record<string, unknown>>) => unknown): unknown {
  if (isToken(value)) return map(value);
  if (Array.isArray(value)) return value.map((item) => mapTokens(item, map));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, mapTokens(member, map)]));
}
