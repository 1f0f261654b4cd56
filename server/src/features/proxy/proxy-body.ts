import { isUtf8 } from 'node:buffer';
import { DomainError, invalidField } from '../../core/errors/domain-error.ts';
import { toJsonText } from '../../core/json/json-text.ts';
import { parseJson } from '../../core/json/parse-json.ts';
import { compileDocument, compileText, type ReferenceTemplate } from '../tokens/index.ts';
import { mediaTypeOf } from './forwarded-headers.ts';
import { headerOf, type ProxyRequest } from './proxy-request.ts';
import { compileQuery, mayHoldReference } from './url-fields.ts';

const depthMax = 64;
const field = 'body';

/** A body with the values of tokens in the place of references. Without a reference it goes on byte for byte. */
export function compileBody({
  headers,
  body,
}: Pick<ProxyRequest, 'headers' | 'body'>): ReferenceTemplate<Buffer | undefined> {
  const asItIs = { tokenIds: new Set<string>(), render: () => body };
  if (body === undefined || body.length === 0 || isCompressed(headers)) return asItIs;

  const mediaType = mediaTypeOf(headers);
  if (mediaType === 'application/x-www-form-urlencoded') {
    const form = body.toString('latin1');
    return mayHoldReference(form) ? asBytes(compileQuery(form, field), 'latin1') : asItIs;
  }
  if (!body.includes('{{')) return asItIs;
  if (mediaType === 'application/json' || mediaType.endsWith('+json')) return compileJson(body);
  return compilePlain(body, encoderOf(mediaType, headers)) ?? asItIs;
}

/** Numbers keep the spelling they came with, those of the body and those of tokens. */
function compileJson(body: Buffer): ReferenceTemplate<Buffer> {
  if (!isUtf8(body)) throw new DomainError('malformed-json', 'The body is not valid UTF-8.');
  const template = compileDocument(parseJson(body.toString('utf8'), { depthMax }));
  return {
    tokenIds: template.tokenIds,
    render: (source) => Buffer.from(toJsonText(template.render(source)), 'utf8'),
  };
}

/** Text of any kind, or an upload: bytes that are not UTF-8 stay what they are, and braces without an id too. */
function compilePlain(body: Buffer, write: (text: string) => string): ReferenceTemplate<Buffer> | undefined {
  const encoding = isUtf8(body) ? 'utf8' : 'latin1';
  const toText = (text: string) => (encoding === 'utf8' ? text : Buffer.from(text, 'utf8').toString('latin1'));
  const encode = (text: string) => toText(write(text));
  const template = compileText(body.toString(encoding), { field, foreignBraces: 'keep', encode });
  return template === undefined ? undefined : asBytes(template, encoding);
}

function asBytes(template: ReferenceTemplate<string>, encoding: 'utf8' | 'latin1'): ReferenceTemplate<Buffer> {
  return { tokenIds: template.tokenIds, render: (source) => Buffer.from(template.render(source), encoding) };
}

/** What is compressed is not looked into. */
function isCompressed(headers: ProxyRequest['headers']): boolean {
  return !['', 'identity'].includes((headerOf(headers, 'content-encoding') ?? '').trim().toLowerCase());
}

/** How a value is written so that it stays a value in what surrounds it. */
function encoderOf(mediaType: string, headers: ProxyRequest['headers']): (text: string) => string {
  if (isXml(mediaType)) return escapeXml;
  if (!mediaType.startsWith('multipart/')) return (text) => text;
  const boundary = /;\s*boundary=(?:"([^"]*)"|([^\s;"]+))/i.exec(headerOf(headers, 'content-type') ?? '');
  const delimiter = `--${boundary?.[1] ?? boundary?.[2] ?? ''}`;
  return (text) => {
    if (text.includes(delimiter)) throw invalidField(field, 'would hold a value that ends its part');
    return text;
  };
}

function isXml(mediaType: string): boolean {
  return mediaType === 'application/xml' || mediaType === 'text/xml' || mediaType.endsWith('+xml');
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** A value must not become an element. Control characters have no place in XML at all (XML 1.0 §2.2). */
function escapeXml(text: string): string {
  // oxlint-disable-next-line no-control-regex -- these are the characters that are looked for
  if (/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/.test(text))
    throw invalidField(field, 'would hold a value that XML cannot');
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);
}
