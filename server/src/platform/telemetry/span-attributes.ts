import { isKeyOf, keysOf } from '../../core/objects/keys-of.ts';

/** The spans of a trace, and whether each is a call to another service. */
export const spanKinds = {
  authenticate: 'part',
  batch: 'part',
  commit: 'call',
  connect: 'call',
  exchange: 'call',
  open: 'part',
  resolve: 'call',
  seal: 'part',
  statement: 'call',
  transaction: 'part',
  'unwrap-keys': 'part',
} as const;
export type SpanName = keyof typeof spanKinds;

/**
 * Every attribute that a span may have: names from the vault's own code, numbers, and ids that the vault has generated.
 * Values from a body, a header, a path or a query are not allowed, nor are token ids, because an expression may have
 * derived one from data.
 */
export interface SpanAttributes {
  readonly 'http.request.method'?: string;
  /** The route template, such as `/tokens/{id}`. */
  readonly 'http.route'?: string;
  readonly 'http.response.status_code'?: number;
  /** The code of a problem, reason of a failure, SQLSTATE, or name of an error. */
  readonly 'error.type'?: string;
  readonly 'strongroom.trace_id'?: string;
  readonly 'strongroom.tenant_id'?: string;
  readonly 'strongroom.statement'?: string;
  readonly 'strongroom.batch'?: string;
  readonly 'strongroom.items'?: number;
  readonly 'strongroom.job'?: string;
  readonly 'strongroom.spans_left_out'?: number;
}

const count = /^\d{1,9}$/;
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** The form of the vault's own names. None contains seven consecutive digits, as a card number does. */
const ownName = /^(?!.*\d{7})[A-Za-z][\w-]{0,60}$/;
const ownRoute = /^(?!.*\d{7})[\w/{}.*-]{1,120}$/;

/**
 * The form of each attribute. The compiler checks the names. These expressions also reject values that do not match
 * their type.
 */
const forms: Readonly<Record<keyof SpanAttributes, RegExp>> = {
  'http.request.method': /^[A-Z]{3,10}$/,
  'http.route': ownRoute,
  'http.response.status_code': /^\d{3}$/,
  'error.type': /^(?:[A-Za-z][A-Za-z-]{0,60}|[0-9A-Z]{5})$/,
  'strongroom.trace_id': uuid,
  'strongroom.tenant_id': uuid,
  'strongroom.statement': ownName,
  'strongroom.batch': ownName,
  'strongroom.items': count,
  'strongroom.job': ownName,
  'strongroom.spans_left_out': count,
};

export const spanAttributeNames: readonly string[] = keysOf(forms);

/** Returns the attributes that have the expected form, and omits all others. */
export function pickAttributes(attributes: SpanAttributes): [name: string, value: string | number][] {
  const picked: [string, string | number][] = [];
  for (const name of keysOf(attributes)) {
    const value = attributes[name];
    if (value !== undefined && isKeyOf(forms, name) && forms[name].test(String(value))) picked.push([name, value]);
  }
  return picked;
}
