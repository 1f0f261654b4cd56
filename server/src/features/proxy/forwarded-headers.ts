import { mapPiecesSteps } from '../../core/text/text-pieces.ts';
import type { RequestBudget } from '../../core/budget/request-budget.ts';
import { invalidField } from '../../core/errors/domain-error.ts';
import { Sensitive } from '../../core/identity/sensitive.ts';
import { mergeUses, noUses } from '../../core/expressions/reference-uses.ts';
import type { HeaderField } from '../../platform/outbound/destination-exchange.ts';
import { compileText, type ReferenceTemplate } from '../tokens/index.ts';
import { withoutOwnCookies } from './own-cookies.ts';
import { headerOf, type ProxyRequest } from './proxy-request.ts';

/** The maximum length of all headers including inserted values, in characters. */
const totalLengthMax = 64 * 1024;

/**
 * Headers about this connection and its framing, which are not forwarded (RFC 9110 §7.6.1). New ones are set when
 * sending.
 */
const connectionHeaders: ReadonlySet<string> = new Set(
  'connection content-length expect host http2-settings keep-alive te trailer transfer-encoding upgrade'.split(' '),
);
/** Headers that would tell a destination who is calling, or through which intermediaries. */
const originHeaders: ReadonlySet<string> = new Set(['forwarded', 'via', 'x-real-ip']);
const withheldPrefixes = ['bt-', 'proxy-', 'x-forwarded-'];

/**
 * A valid header value consists of Latin-1 characters without control characters except tab. CR, LF and NUL would
 * terminate it.
 */
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Compiles the client's headers for the destination, with references replaced by token values. */
export function compileHeaders(
  { headers, isFromFields, isPlain = false }: Pick<ProxyRequest, 'headers' | 'isFromFields' | 'isPlain'>,
  budget: RequestBudget,
): ReferenceTemplate<readonly HeaderField[]> {
  const isForwarded = forwardingRule(headers);
  const options = { budget, isSelectOnly: isFromFields, isPlain };
  const templates = headers
    .filter(({ name }) => isForwarded(name.toLowerCase()))
    .flatMap(withoutOwnCookies)
    .map(({ name, value }) => ({ name, template: compileHeader(name, value, options) }));
  return {
    uses: mergeUses(templates.map(({ template }) => template.uses)),
    async render(source) {
      const fields: HeaderField[] = [];
      for (const { name, template } of templates)
        fields.push({ name, value: (await template.render(source)).reveal() });
      const length = fields.reduce((sum, { name, value }) => sum + name.length + value.length, 0);
      if (length > totalLengthMax) throw invalidField('headers', 'are too long with their values');
      return new Sensitive(fields);
    },
  };
}

/** Returns the filter for forwarded headers. It also omits headers named in the client's own Connection header. */
function forwardingRule(headers: readonly HeaderField[]): (name: string) => boolean {
  const named = new Set(
    headers
      .filter(({ name }) => name.toLowerCase() === 'connection')
      .flatMap(({ value }) => value.toLowerCase().split(','))
      .map((name) => name.trim()),
  );
  return (name) =>
    !connectionHeaders.has(name) &&
    !originHeaders.has(name) &&
    !named.has(name) &&
    !withheldPrefixes.some((prefix) => name.startsWith(prefix));
}

function compileHeader(
  name: string,
  value: string,
  {
    isPlain,
    ...options
  }: { readonly budget: RequestBudget; readonly isSelectOnly: boolean; readonly isPlain: boolean },
): ReferenceTemplate<string> {
  if (isPlain) return { uses: noUses, render: async () => new Sensitive(value) };
  const field = `headers.${name.toLowerCase()}`;
  const template = compileText(value, { ...options, field, encode: (text) => mapPiecesSteps(text, toWireText) });
  if (template === undefined) return { uses: noUses, render: async () => new Sensitive(value) };
  return {
    uses: template.uses,
    async render(source) {
      const text = await template.render(source);
      if (!fieldValue.test(text.reveal())) throw invalidField(field, 'would hold a value that no header can carry');
      return text;
    },
  };
}

/** Converts text to UTF-8 with one character per byte, which is how Node handles headers. */
function toWireText(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

/**
 * Returns the client's preferences for the connection to the destination. It accepts only values that cannot change how
 * the message is parsed. Otherwise `Connection` could name `Content-Length` or request another protocol.
 */
export function toConnectionFields(request: Pick<ProxyRequest, 'connection' | 'keepAlive'>): readonly HeaderField[] {
  const { connection, keepAlive } = request;
  if (connection !== undefined && !/^(?:close|keep-alive)$/i.test(connection)) {
    throw invalidField('BT-PROXY-CONNECTION', 'must be close or keep-alive');
  }
  if (keepAlive !== undefined && !/^(?:timeout|max)=\d{1,6}(?:, ?(?:timeout|max)=\d{1,6})?$/i.test(keepAlive)) {
    throw invalidField('BT-PROXY-KEEP-ALIVE', 'must have the form timeout=5, max=100');
  }
  return [
    ...(connection === undefined ? [] : [{ name: 'Connection', value: connection }]),
    ...(keepAlive === undefined ? [] : [{ name: 'Keep-Alive', value: keepAlive }]),
  ];
}

/** Returns the media type of the body without its parameters, in lower case. */
export function mediaTypeOf(headers: readonly HeaderField[]): string {
  return (headerOf(headers, 'content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}
