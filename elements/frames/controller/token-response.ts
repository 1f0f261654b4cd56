import { isRecord } from '../../protocol/parse.ts';
import { findReference } from './resolve-payload.ts';

/** What of a token a page is told. No fingerprint and no trace of deduplication: both confirm a guess. */
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
/** Characters that stand for others in a masked value. */
const masked = /[X*•#]{2,}/;

/** A created or changed token as the page gets it. `asked` is the request with its references. */
export function toShownToken(token: unknown, asked: Readonly<Record<string, unknown>>): unknown {
  if (!isRecord(token)) return undefined;
  // A mask of the page itself decides what a masked view shows, so there is none.
  const data = asked['mask'] === undefined ? showData(token['data'], asked['data']) : undefined;
  return { ...pickShown(token), ...(data === undefined ? {} : { data }) };
}

/** The members that tell nothing about the value. */
export function pickShown(token: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const shown: Record<string, unknown> = {};
  for (const name of shownMembers) if (token[name] !== undefined) shown[name] = token[name];
  const { card } = token;
  if (isRecord(card)) shown['card'] = Object.fromEntries(shownOfCard.map((name) => [name, card[name]]));
  return shown;
}

/** Where the page sent a reference, it gets a masked text or nothing; where it sent a value, it may see that value. */
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
  if (typeof answer === 'string') return masked.test(answer) ? answer : undefined;
  if (!isRecord(answer)) return undefined;
  const members = Object.entries(answer).map(([name, value]) => [name, showMasked(value)] as const);
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

/** The response of `tokenize`: ids in the places of values, and tokens in the places of tokens. */
export function toShownTokens(answer: unknown, asked: unknown): unknown {
  if (isToken(asked)) return toShownToken(answer, asked);
  if (Array.isArray(answer) && Array.isArray(asked))
    return answer.map((item, index) => toShownTokens(item, asked[index]));
  if (isRecord(answer) && isRecord(asked) && findReference(asked) === undefined)
    return Object.fromEntries(Object.entries(answer).map(([name, value]) => [name, toShownTokens(value, asked[name])]));
  return typeof answer === 'string' ? answer : isRecord(answer) ? pickShown(answer) : undefined;
}

/** Whether a part of a `tokenize` request describes a token, rather than being a value: the same question as the vault's. */
export function isToken(value: unknown): value is Readonly<Record<string, unknown>> {
  return isRecord(value) && Object.hasOwn(value, 'type') && Object.hasOwn(value, 'data');
}

/** The last look at everything that leaves for the page: a number that came out of a field is nowhere in it. */
export function holdsSecret(answer: unknown, secrets: readonly string[]): boolean {
  const plain = (text: string) => text.replaceAll(/[^\p{L}\p{N}]/gu, '').toLowerCase();
  // A short text can be in any response by chance, such as a name that is also a container's.
  const wanted = secrets.map(plain).filter((text) => text.replaceAll(/\D/g, '').length > 8);
  if (wanted.length === 0) return false;
  const text = plain(JSON.stringify(answer) ?? '');
  return wanted.some((secret) => text.includes(secret));
}
