import { isUtf8 } from 'node:buffer';
import { DomainError } from '../../../core/errors/domain-error.ts';
import { jsonDepthMax, jsonValuesMax } from '../../../core/json/json-limits.ts';
import { JsonSource } from '../../../core/json/json-source.ts';
import { jsonTextSteps } from '../../../core/json/json-text.ts';
import type { JsonValue } from '../../../core/json/json-value.ts';
import type { Steps } from '../../../core/steps/steps.ts';
import { mapPiecesSteps } from '../../../core/text/text-pieces.ts';
import { parseJsonSteps } from '../../../core/json/parse-json.ts';
import type { HeaderField } from '../../../platform/outbound/destination-exchange.ts';
import { inTurns } from '../../../platform/waiting/turns.ts';
import { mediaTypeOf } from '../forwarded-headers.ts';
import { headerOf } from '../proxy-request.ts';
import { fieldsMax } from '../url-fields.ts';
import { isXml } from '../xml-text.ts';

interface FormField {
  readonly name: string;
  readonly value: string;
}

/** A body as transforms see it. */
export type MessageBody =
  | { readonly kind: 'empty' }
  | { readonly kind: 'json'; readonly holder: { readonly root: JsonValue } }
  | { readonly kind: 'form'; readonly fields: readonly FormField[] }
  | { readonly kind: 'xml'; readonly text: string }
  | { readonly kind: 'text'; readonly text: string; readonly encoding: 'utf8' | 'latin1' }
  /** A body that is compressed or in another character set, which is not inspected. */
  | { readonly kind: 'closed'; readonly bytes: Buffer };

export async function readMessageBody(headers: readonly HeaderField[], body: Buffer | undefined): Promise<MessageBody> {
  if (body === undefined || body.length === 0) return { kind: 'empty' };
  const encoding = (headerOf(headers, 'content-encoding') ?? '').trim().toLowerCase();
  if (!['', 'identity'].includes(encoding) || !isReadCharset(headers)) return { kind: 'closed', bytes: body };
  const mediaType = mediaTypeOf(headers);
  if (mediaType === 'application/json' || mediaType.endsWith('+json'))
    return { kind: 'json', holder: { root: await readJson(body) } };
  if (mediaType === 'application/x-www-form-urlencoded') return { kind: 'form', fields: readForm(body) };
  if (isXml(mediaType) && isUtf8(body)) return { kind: 'xml', text: body.toString('utf8') };
  const charset = isUtf8(body) ? 'utf8' : 'latin1';
  return { kind: 'text', text: body.toString(charset), encoding: charset };
}

export async function writeMessageBody(body: MessageBody): Promise<Buffer | undefined> {
  switch (body.kind) {
    case 'empty':
      return undefined;
    case 'closed':
      return body.bytes;
    case 'json':
      return Buffer.from(await inTurns(jsonTextSteps(body.holder.root)), 'utf8');
    case 'form':
      return Buffer.from(await inTurns(writeFormSteps(body.fields)), 'latin1');
    case 'xml':
      return Buffer.from(body.text, 'utf8');
    case 'text':
      return Buffer.from(body.text, body.encoding);
  }
}

/** Character sets in which digits have the bytes of ASCII, so that transforms see the same text as a recipient. */
const readCharsets: ReadonlySet<string> = new Set(['utf-8', 'us-ascii', 'iso-8859-1', 'windows-1252']);

function isReadCharset(headers: readonly HeaderField[]): boolean {
  const [, charset = 'utf-8'] = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(headerOf(headers, 'content-type') ?? '') ?? [];
  return readCharsets.has(charset.toLowerCase());
}

async function readJson(body: Buffer): Promise<JsonValue> {
  if (!isUtf8(body)) throw new DomainError('malformed-json', 'The body is not valid UTF-8.');
  const options = { depthMax: jsonDepthMax, valuesMax: jsonValuesMax, source: new JsonSource() };
  return inTurns(parseJsonSteps(body.toString('utf8'), options));
}

function readForm(body: Buffer): FormField[] {
  // The bytes are replaced, because replacing millions of them in a text takes seconds.
  const spaced = Buffer.from(body);
  for (let at = spaced.indexOf(0x2b); at >= 0 && at < spaced.length; at += 1)
    if (spaced[at] === 0x2b) spaced[at] = 0x20;
  const pairs = spaced.toString('latin1').split('&', fieldsMax + 1);
  if (pairs.length > fieldsMax) throw new DomainError('validation-failed', `A form has at most ${fieldsMax} fields.`);
  return pairs.map((pair) => {
    const equals = pair.indexOf('=');
    return equals < 0
      ? { name: decode(pair), value: '' }
      : { name: decode(pair.slice(0, equals)), value: decode(pair.slice(equals + 1)) };
  });
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new DomainError('validation-failed', 'The form is not percent-encoded correctly.');
  }
}

function* writeFormSteps(fields: readonly FormField[]): Steps<string> {
  const texts: string[] = [];
  for (const { name, value } of fields) {
    const encodedName = yield* mapPiecesSteps(name, encodeURIComponent);
    texts.push(`${encodedName}=${yield* mapPiecesSteps(value, encodeURIComponent)}`);
    yield;
  }
  return texts.join('&');
}
