import { ExpressionError } from '../../core/expressions/expression-error.ts';
import { type JsonPathSegment, parseJsonPath } from '../../core/expressions/filters/json-path.ts';

/** The part of a message that a transform reads or writes. */
export type TransformLocation =
  | { readonly kind: 'json'; readonly path: readonly JsonPathSegment[] }
  | { readonly kind: 'form'; readonly name: string }
  | { readonly kind: 'xml'; readonly path: readonly string[] }
  | { readonly kind: 'header'; readonly name: string };

/** The form of a header name (RFC 9110 §5.6.2). */
const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;

/** Headers that decide how a message is read, or that the proxy sets itself. */
const reserved =
  /^(?:bt-.*|proxy-.*|connection|content-.*|cookie|expect|host|keep-alive|set-cookie|te|trailer|transfer-encoding|upgrade)$/;

/** A path of element names without prefixes. A star stands for any name. */
const xmlPath = /^(?:\/(?:\*|[\p{L}_][\p{L}\p{N}_.-]*)){1,20}$/u;

/**
 * Parses a location such as `$.card.number`, `form:number`, `header:X-Card` or `xml:/order/card`. Undefined if it is none
 * of these.
 */
export function parseLocation(text: string): TransformLocation | undefined {
  if (text.startsWith('$')) return parsePath(text);
  const name = text.slice(text.indexOf(':') + 1);
  if (text.startsWith('form:')) return name === '' ? undefined : { kind: 'form', name };
  if (text.startsWith('xml:')) return xmlPath.test(name) ? { kind: 'xml', path: name.slice(1).split('/') } : undefined;
  return text.startsWith('header:') ? parseHeader(name) : undefined;
}

/** Returns the location of a header that a transform may read or write. */
export function parseHeader(name: string): Extract<TransformLocation, { kind: 'header' }> | undefined {
  const lower = name.toLowerCase();
  return headerName.test(name) && !reserved.test(lower) ? { kind: 'header', name: lower } : undefined;
}

function parsePath(text: string): TransformLocation | undefined {
  try {
    return { kind: 'json', path: parseJsonPath(text, 0) };
  } catch (error) {
    if (error instanceof ExpressionError) return undefined;
    throw error;
  }
}
