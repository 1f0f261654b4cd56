import { isKeyOf, keysOf } from '../../core/objects/keys-of.ts';

/** The parts that a trace is made of, and whether they are calls to somebody else. */
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
 * Every attribute that a span may have: names of our own, numbers, and ids that the vault has drawn. Nothing that came in a
 * body, a header, a path or a query, and no id of a token, which an expression may have made of its data.
 */
export interface SpanAttributes {
  readonly 'http.request.method'?: string;
  /** The template, such as `/tokens/{id}`. */
  readonly 'http.route'?: string;
  readonly 'http.response.status_code'?: number;
  /** Code of a problem, reason of a failure, SQLSTATE, or name of an error. */
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
/** What our own names look like. Seven digits in a row, which a card number has, are in none. */
const ownName = /^(?!.*\d{7})[A-Za-z][\w-]{0,60}$/;
const ownRoute = /^(?!.*\d{7})[\w/{}.*-]{1,120}$/;

/** What each of them looks like. The compiler knows the names; this also holds for a value that is not what its type says. */
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

/** The attributes that are what they should be; others are left out. */
export function pickAttributes(attributes: SpanAttributes): [name: string, value: string | number][] {
  const picked: [string, string | number][] = [];
  for (const name of keysOf(attributes)) {
    const value = attributes[name];
    if (value !== undefined && isKeyOf(forms, name) && forms[name].test(String(value))) picked.push([name, value]);
  }
  return picked;
}
