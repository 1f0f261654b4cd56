import { ExactNumber, isJsonObject, type JsonObject, type JsonValue } from '../../../core/json/json-value.ts';
import type { Steps } from '../../../core/steps/steps.ts';
import { MaskLimit } from '../../stored-proxies/index.ts';
import { removePlace, setPlace } from './json-places.ts';
import type { MessageBody } from './message-body.ts';
import type { TransformOf } from './transformed-message.ts';

/**
 * Masks a body. A pattern is applied to each line of a text, to each element of XML with its start tag, and in JSON to
 * each text and number, written after the name of its member: `"number":"4242"`. It therefore never works on a long text
 * at once, and pauses after each match.
 */
export function* maskBodySteps(body: MessageBody, transform: TransformOf<'mask'>): Steps<MessageBody> {
  if (body.kind === 'text' || body.kind === 'xml')
    return { ...body, text: yield* maskPieces(body.text, body.kind === 'xml' ? elementEnd : lineEnd, transform) };
  if (body.kind !== 'json') return body;
  yield* maskMember({ parent: body.holder, key: 'root' }, body.holder.root, transform);
  return body;
}

/** The maximum number of pieces of a text. Each of them takes a few microseconds, even an empty line. */
const piecesMax = 100_000;
const lineEnd = /\n/g;
/** Matches the end of a line, and the place before a start tag. */
const elementEnd = /\n|(?=<[^/!?])/g;

function* maskPieces(text: string, ends: RegExp, transform: TransformOf<'mask'>): Steps<string> {
  const masked: string[] = [];
  let at = 0;
  for (const { index, 0: end } of text.matchAll(ends)) {
    const next = index + end.length;
    if (next === at) continue;
    if (masked.length === piecesMax) throw new MaskLimit();
    masked.push(yield* maskOne(text.slice(at, next), 0, transform));
    at = next;
  }
  masked.push(yield* maskOne(text.slice(at), 0, transform));
  return masked.join('');
}

interface Member {
  readonly parent: object;
  readonly key: string | number;
}

function* maskMember(member: Member, value: JsonValue, transform: TransformOf<'mask'>): Steps<void> {
  if (Array.isArray(value)) {
    const list: readonly JsonValue[] = value;
    for (const [index, item] of list.entries()) yield* maskMember({ parent: list, key: index }, item, transform);
  } else if (isJsonObject(value)) {
    yield* maskNames(value, transform);
    for (const key of Object.keys(value)) yield* maskMember({ parent: value, key }, value[key] ?? null, transform);
  } else if (typeof value === 'string' || typeof value === 'number' || value instanceof ExactNumber) {
    yield* maskScalar(member, value, transform);
  }
}

/** Masks the names of members. A destination could write a card number there. */
function* maskNames(value: JsonObject, transform: TransformOf<'mask'>): Steps<void> {
  const members = Object.entries(value);
  const names = new Set<string>();
  let isChanged = false;
  for (const [name] of members) {
    const masked = (yield* maskOne(`"${name}"`, 1, transform)).slice(1, -1);
    names.add(masked);
    isChanged ||= masked !== name;
  }
  if (!isChanged) return;
  if (names.size < members.length) throw new MaskLimit();
  for (const [name] of members) {
    removePlace({ parent: value, key: name });
    yield;
  }
  for (const [index, name] of [...names].entries()) {
    setPlace({ parent: value, key: name }, members[index]?.[1] ?? null);
    yield;
  }
}

/** Masks a text or a number. A masked number becomes a text, because a number cannot contain the mask. */
function* maskScalar(
  { parent, key }: Member,
  value: string | number | ExactNumber,
  transform: TransformOf<'mask'>,
): Steps<void> {
  const plain = value instanceof ExactNumber ? value.text : String(value);
  const quote = typeof value === 'string' ? '"' : '';
  const prefix = `${typeof key === 'string' ? `"${key}":` : ''}${quote}`;
  const masked = yield* maskOne(`${prefix}${plain}${quote}`, prefix.length, transform);
  const result = masked.slice(prefix.length, masked.length - quote.length);
  if (result !== plain) setPlace({ parent, key }, result);
}

/** Masks the matches of the group in a text, except before `from`. The length stays the same. */
function* maskOne(text: string, from: number, { pattern, replacement }: TransformOf<'mask'>): Steps<string> {
  const masked: string[] = [];
  let at = 0;
  for (const [start, end] of pattern.find(text)) {
    yield;
    const first = Math.max(start, from, at);
    if (first >= end) continue;
    masked.push(text.slice(at, first), replacement.repeat(end - first));
    at = end;
  }
  yield;
  masked.push(text.slice(at));
  // Joined here, because V8 copies what `+` has put together only when it is read: a whole body in one step.
  return masked.join('');
}
