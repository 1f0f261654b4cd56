import { maskedLengthMin } from '../../../server/src/core/expressions/fields-mask.ts';
import { isRecord } from '../../protocol/parse.ts';
import { findReference } from './resolve-payload.ts';

/**
 * The members of a token that a page receives. The fingerprint and deduplication are omitted because either would
 * confirm a guess.
 */
const shownMembers = [
  'id',
  'tenant_id',
  'type',
  'containers',
  'metadata',
  'privacy',
  'search_indexes',
  'fingerprint_expression',
  'expires_at',
  'created_by',
  'created_at',
  'modified_by',
  'modified_at',
] as const;
const shownOfCard = ['bin', 'last4', 'brand'] as const;
/** Characters that replace others in a masked value. */
const masked = /[X*•#]{2,}/;

/** Returns the view of a created or changed token for the page. `asked` is the request with its references. */
export function toShownToken(token: unknown, asked: Readonly<Record<string, unknown>>): unknown {
  if (!isRecord(token)) return undefined;
  // If the page set the mask, it decides what the masked view shows, so no data is returned.
  const data = asked['mask'] === undefined ? showData(token['data'], asked['data']) : undefined;
  return { ...pickShown(token), ...(data === undefined ? {} : { data }) };
}

/** Picks the members that reveal nothing about the value. */
export function pickShown(token: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const shown: Record<string, unknown> = {};
  for (const name of shownMembers) if (token[name] !== undefined) shown[name] = token[name];
  const { card } = token;
  if (isRecord(card)) shown['card'] = Object.fromEntries(shownOfCard.map((name) => [name, card[name]]));
  return shown;
}

/**
 * Returns masked text or nothing for each reference that the page sent. Values that the page sent itself are returned.
 */
function showData(answer: unknown, asked: unknown): unknown {
  if (findReference(asked) !== undefined) return showMasked(answer);
  if (Array.isArray(answer) && Array.isArray(asked))
    return answer.map((item, index) => showData(item, asked[index]) ?? null);
  if (!isRecord(answer) || !isRecord(asked))
    return asked === undefined || typeof asked === 'object' ? undefined : answer;
  const members = Object.entries(answer).map(([name, value]) => [name, showData(value, asked[name])] as const);
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

function showMasked(answer: unknown): unknown {
  if (typeof answer === 'string') return masked.test(answer) && answer.length >= maskedLengthMin ? answer : undefined;
  if (!isRecord(answer)) return undefined;
  const members = Object.entries(answer).map(([name, value]) => [name, showMasked(value)] as const);
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

/** Returns the response of `tokenize`: ids in place of values, and tokens in place of tokens. */
export function toShownTokens(answer: unknown, asked: unknown): unknown {
  if (isToken(asked)) return toShownToken(answer, asked);
  if (Array.isArray(answer) && Array.isArray(asked))
    return answer.map((item, index) => toShownTokens(item, asked[index]));
  if (isRecord(answer) && isRecord(asked) && findReference(asked) === undefined)
    return Object.fromEntries(Object.entries(answer).map(([name, value]) => [name, toShownTokens(value, asked[name])]));
  return typeof answer === 'string' ? answer : isRecord(answer) ? pickShown(answer) : undefined;
}

/**
 * Returns true if a part of a `tokenize` request describes a token instead of a plain value. The vault uses the same
 * rule.
 */
export function isToken(value: unknown): value is Readonly<Record<string, unknown>> {
  return isRecord(value) && Object.hasOwn(value, 'type') && Object.hasOwn(value, 'data');
}

/** Checks every response as the last step: it must not contain a number that came from a field. */
export function holdsSecret(answer: unknown, secrets: readonly string[]): boolean {
  const plain = (text: string) => text.replaceAll(/[^\p{L}\p{N}]/gu, '').toLowerCase();
  // Short text can occur in a response by chance, for example a name that is also a container.
  const wanted = secrets.map(plain).filter((text) => text.replaceAll(/\D/g, '').length > 8);
  if (wanted.length === 0) return false;
  const text = plain(JSON.stringify(answer) ?? '');
  return wanted.some((secret) => text.includes(secret));
}
