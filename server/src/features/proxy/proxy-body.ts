import { isUtf8 } from 'node:buffer';
import { DomainError, invalidField } from '../../core/errors/domain-error.ts';
import type { RequestBudget } from '../../core/budget/request-budget.ts';
import type { Encode } from '../../core/expressions/reference-evaluation.ts';
import { noUses } from '../../core/expressions/reference-uses.ts';
import { Sensitive } from '../../core/identity/sensitive.ts';
import { jsonDepthMax, jsonValuesMax } from '../../core/json/json-limits.ts';
import { JsonSource } from '../../core/json/json-source.ts';
import { parseJsonSteps } from '../../core/json/parse-json.ts';
import type { Steps } from '../../core/steps/steps.ts';
import { findTextSteps } from '../../core/text/find-text.ts';
import { mapPiecesSteps } from '../../core/text/text-pieces.ts';
import { inTurns } from '../../platform/waiting/turns.ts';
import { compileDocument, compileText, type ReferenceTemplate } from '../tokens/index.ts';
import { mediaTypeOf } from './forwarded-headers.ts';
import { headerOf, type ProxyRequest } from './proxy-request.ts';
import { compileQuery, mayHoldReference } from './url-fields.ts';
import { escapeXml, isXml } from './xml-text.ts';

const field = 'body';
/** RFC 2046 §5.1.1. */
const boundaryLengthMax = 70;

interface BodyOptions {
  readonly budget: RequestBudget;
  /** True if references can only select members. */
  readonly isSelectOnly: boolean;
}

/** Compiles a body, with references replaced by token values. A body without references is forwarded byte for byte. */
export async function compileBody(
  { headers, body, isFromFields, isPlain = false }: Pick<ProxyRequest, 'headers' | 'body' | 'isFromFields' | 'isPlain'>,
  budget: RequestBudget,
): Promise<ReferenceTemplate<Buffer | undefined>> {
  const asItIs = { uses: noUses, render: async () => new Sensitive(body) };
  if (isPlain || body === undefined || body.length === 0 || isCompressed(headers)) return asItIs;

  const options = { budget, isSelectOnly: isFromFields };
  const mediaType = mediaTypeOf(headers);
  if (mediaType === 'application/x-www-form-urlencoded') {
    const form = body.toString('latin1');
    return mayHoldReference(form) ? asBytes(compileQuery(form, { ...options, field }), 'latin1') : asItIs;
  }
  if (!body.includes('{{')) return asItIs;
  if (mediaType === 'application/json' || mediaType.endsWith('+json')) return compileJson(body, options);
  return compilePlain(body, { ...options, encode: encoderOf(mediaType, headers) }) ?? asItIs;
}

/** Compiles a JSON body. Parts without references keep their original spelling. */
async function compileJson(body: Buffer, options: BodyOptions): Promise<ReferenceTemplate<Buffer>> {
  if (!isUtf8(body)) throw new DomainError('malformed-json', 'The body is not valid UTF-8.');
  const source = new JsonSource();
  await inTurns(parseJsonSteps(body.toString('utf8'), { depthMax: jsonDepthMax, valuesMax: jsonValuesMax, source }));
  return asBytes(compileDocument(source, options), 'utf8');
}

/** Compiles any other text or an upload. Bytes that are not UTF-8 and braces without an id are kept. */
function compilePlain(
  body: Buffer,
  options: BodyOptions & { readonly encode: Encode | undefined },
): ReferenceTemplate<Buffer> | undefined {
  const encoding = isUtf8(body) ? 'utf8' : 'latin1';
  function* encode(text: string): Steps<string> {
    const encoded = options.encode === undefined ? text : yield* options.encode(text);
    return encoding === 'utf8' ? encoded : Buffer.from(encoded, 'utf8').toString('latin1');
  }
  const template = compileText(body.toString(encoding), { ...options, field, foreignBraces: 'keep', encode });
  return template === undefined ? undefined : asBytes(template, encoding);
}

function asBytes(template: ReferenceTemplate<string>, encoding: 'utf8' | 'latin1'): ReferenceTemplate<Buffer> {
  return {
    uses: template.uses,
    render: async (source) => new Sensitive(Buffer.from((await template.render(source)).reveal(), encoding)),
  };
}

/** Returns whether the body is compressed. Compressed bodies are not inspected. */
function isCompressed(headers: ProxyRequest['headers']): boolean {
  return !['', 'identity'].includes((headerOf(headers, 'content-encoding') ?? '').trim().toLowerCase());
}

/** Returns the function that escapes a value for its context. Undefined if values are inserted as they are. */
function encoderOf(mediaType: string, headers: ProxyRequest['headers']): Encode | undefined {
  if (isXml(mediaType)) return (text) => mapPiecesSteps(text, (piece) => escapeXml(piece, field));
  if (!mediaType.startsWith('multipart/')) return undefined;
  const delimiter = `--${boundaryOf(headers)}`;
  return function* encode(text) {
    if ((yield* findTextSteps(text, delimiter)) >= 0)
      throw invalidField(field, 'would contain a value that includes the multipart boundary');
    return text;
  };
}

/** Returns the boundary between the parts of a body. It is empty if the header has none. */
function boundaryOf(headers: ProxyRequest['headers']): string {
  const found = /;\s*boundary=(?:"([^"]*)"|([^\s;"]+))/i.exec(headerOf(headers, 'content-type') ?? '');
  const boundary = found?.[1] ?? found?.[2] ?? '';
  if (boundary.length > boundaryLengthMax)
    throw invalidField('content-type', `must have a boundary of at most ${boundaryLengthMax} characters`);
  return boundary;
}
