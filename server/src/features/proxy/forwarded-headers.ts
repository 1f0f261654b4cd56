import type { RequestBudget } from '../../core/budget/request-budget.ts';
import { invalidField } from '../../core/errors/domain-error.ts';
import { mergeUses, noUses } from '../../core/expressions/reference-uses.ts';
import type { HeaderField } from '../../platform/outbound/destination-exchange.ts';
import { compileText, type ReferenceTemplate } from '../tokens/index.ts';
import { withoutOwnCookies } from './own-cookies.ts';
import { headerOf, type ProxyRequest } from './proxy-request.ts';

/** With everything that was put in. */
const totalLengthMax = 64 * 1024;

/** About this connection and its framing, which end here (RFC 9110 §7.6.1); ours are written by whoever sends. */
const connectionHeaders: ReadonlySet<string> = new Set(
  'connection content-length expect host http2-settings keep-alive te trailer transfer-encoding upgrade'.split(' '),
);
/** Who asks, and through what, is nothing that a destination learns from the vault. */
const originHeaders: ReadonlySet<string> = new Set(['forwarded', 'via', 'x-real-ip']);
const keptPrefixes = ['bt-', 'proxy-', 'x-forwarded-'];

/** A value as HTTP can carry it: bytes as Latin-1, no control character but the tab. CR, LF and NUL would end it. */
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/;

/** The client's headers, as far as they are for the destination, with the values of tokens in the place of references. */
export function compileHeaders(
  { headers }: Pick<ProxyRequest, 'headers'>,
  budget: RequestBudget,
): ReferenceTemplate<readonly HeaderField[]> {
  const isForwarded = forwardingRule(headers);
  const templates = headers
    .filter(({ name }) => isForwarded(name.toLowerCase()))
    .flatMap(withoutOwnCookies)
    .map(({ name, value }) => ({ name, template: compileHeader(name, value, budget) }));
  return {
    uses: mergeUses(templates.map(({ template }) => template.uses)),
    async render(source) {
      const fields: HeaderField[] = [];
      for (const { name, template } of templates) fields.push({ name, value: await template.render(source) });
      const length = fields.reduce((sum, { name, value }) => sum + name.length + value.length, 0);
      if (length > totalLengthMax) throw invalidField('headers', 'are too long with their values');
      return fields;
    },
  };
}

/** Also leaves out what the client's own Connection header names. */
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
    !keptPrefixes.some((prefix) => name.startsWith(prefix));
}

function compileHeader(name: string, value: string, budget: RequestBudget): ReferenceTemplate<string> {
  const field = `headers.${name.toLowerCase()}`;
  const template = compileText(value, { field, budget, encode: toWireText });
  if (template === undefined) return { uses: noUses, render: async () => value };
  return {
    uses: template.uses,
    async render(source) {
      const text = await template.render(source);
      if (!fieldValue.test(text)) throw invalidField(field, 'would hold a value that no header can carry');
      return text;
    },
  };
}

/** UTF-8, in the one character a byte that headers are handled with. */
function toWireText(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

/**
 * What the client wants the destination to be told about the connection. Only what cannot change how the message is
 * read: `Connection` could otherwise name `Content-Length`, or ask for another protocol.
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

/** The media type of the body without its parameters, in lower case. */
export function mediaTypeOf(headers: readonly HeaderField[]): string {
  return (headerOf(headers, 'content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}
