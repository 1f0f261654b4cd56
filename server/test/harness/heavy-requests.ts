import type { MeasuredRequest } from './measured-vault.ts';

/** The size of a heavy request. With the defaults, the bodies stay below a megabyte. */
export interface Weight {
  /** The size in bytes of a body that is a single value. */
  readonly bytes: number;
  /** The number of tokens in a request that creates several. */
  readonly tokens: number;
  /** The number of expressions, metadata keys or search indexes of each token, up to the limit of a token. */
  readonly parts: number;
  readonly depth: number;
}

export const fullWeight: Weight = { bytes: 1_000_000, tokens: 1_000, parts: 50, depth: 30 };

/** Builds a body of a given weight. The shapes are the kinds of requests that have been the most expensive so far. */
export type Shape = (weight: Weight) => unknown;

/**
 * Values that are expensive because of their structure alone. Each is JSON text of roughly the requested number of
 * bytes.
 */
export const valueShapes = {
  'a wide object': ({ bytes }) => repeatText('{', (index) => `"k${index}":${index}`, '}', bytes),
  'an object of short names': ({ bytes }) => repeatText('{', (index) => `"${index.toString(36)}":1`, '}', bytes),
  'an object of numbered names': ({ bytes }) => repeatText('{', (index) => `"${index * 7}":0`, '}', bytes),
  'an array of digits': ({ bytes }) => repeatText('[', () => '1', ']', bytes),
  'an array of exact numbers': ({ bytes }) => repeatText('[', () => '1.0', ']', bytes),
  'an array of empty objects': ({ bytes }) => repeatText('[', () => '{}', ']', bytes),
  'an array of small objects': ({ bytes }) => repeatText('[', () => '{"a":1}', ']', bytes),
  'an array of empty arrays': ({ bytes }) => repeatText('[', () => '[]', ']', bytes),
  'an array of empty strings': ({ bytes }) => repeatText('[', () => '""', ']', bytes),
  'an array of escaped strings': ({ bytes }) => repeatText('[', () => String.raw`"\n"`, ']', bytes),
  'one string of escapes': ({ bytes }) => `"${String.raw`\n`.repeat(bytes / 2)}"`,
  'one string of unicode escapes': ({ bytes }) => `"${String.raw`\u00e9`.repeat(bytes / 6)}"`,
  'one long string': ({ bytes }) => `"${'x'.repeat(bytes)}"`,
  'one string of wide characters': ({ bytes }) => `"${'é'.repeat(bytes / 2)}"`,
  'long names': ({ bytes }) => repeatText('{', (index) => `"${String(index).padStart(200, 'n')}":""`, '}', bytes),
  'deep objects': ({ bytes, depth }) => nest(bytes, depth, '{"a":', '}'),
  'deep arrays': ({ bytes, depth }) => nest(bytes, depth, '[', ']'),
  blanks: ({ bytes }) => `[1${' '.repeat(bytes)}]`,
  'members named data': ({ bytes }) => repeatText('[', () => '{"data":1}', ']', bytes),
} satisfies Record<string, (weight: Weight) => string>;

function repeatText(open: string, item: (index: number) => string, close: string, bytes: number): string {
  const items: string[] = [];
  let length = 0;
  for (let index = 0; length < bytes; index += 1) {
    const text = item(index);
    items.push(text);
    length += text.length + 1;
  }
  return `${open}${items.join(',')}${close}`;
}

function nest(bytes: number, depth: number, open: string, close: string): string {
  const one = `${open.repeat(depth)}1${close.repeat(depth)}`;
  return repeatText('[', () => one, ']', bytes);
}

/** Requests that create many tokens, each with as many parts as allowed. */
export const tokenListShapes = {
  'many tokens with metadata': ({ tokens, parts }) =>
    times(tokens, () => ({ type: 'token', data: 'x', metadata: metadataOf(Math.min(parts, 50)) })),
  'many tokens with search indexes': ({ tokens, parts }) =>
    times(tokens, () => ({
      type: 'token',
      data: 'x',
      search_indexes: times(Math.min(parts, 20), (index) => `{{ data }}${index}`),
    })),
  'many tokens with metadata and search indexes': ({ tokens, parts }) =>
    times(tokens, () => ({
      type: 'token',
      data: 'x',
      metadata: metadataOf(Math.min(parts, 50)),
      search_indexes: times(Math.min(parts, 20), (index) => `{{ data }}${index}`),
    })),
  'many tokens with masks': ({ tokens, parts }) =>
    times(Math.min(tokens, 350), () => ({
      type: 'token',
      data: 'x'.repeat(1_000),
      mask: times(Math.min(parts, 32), () => '{{data|card_mask}}'),
    })),
  'many tokens of every kind of expression': ({ tokens, parts }) =>
    times(Math.min(tokens, 300), () => ({
      type: 'token',
      data: 'x'.repeat(200),
      metadata: metadataOf(Math.min(parts, 20)),
      mask: times(Math.min(parts, 30), () => '{{data|card_mask}}'),
      search_indexes: times(Math.min(parts, 20), (index) => `{{ data }}${index}`),
      fingerprint_expression: '{{data|upcase|downcase|stringify}}',
    })),
  'many cards': ({ tokens }) =>
    times(tokens, (index) => ({
      type: 'card',
      data: { number: '4242424242424242', expiration_month: 1 + (index % 12), expiration_year: 2040, cvc: '123' },
      metadata: { a: String(index) },
    })),
  'many deduplicated tokens': ({ tokens }) =>
    times(tokens, (index) => ({ type: 'token', data: `value ${index}`, deduplicate_token: true })),
  'many equal deduplicated tokens': ({ tokens }) =>
    times(tokens, () => ({ type: 'token', data: 'always the same', deduplicate_token: true })),
  'many tokens with aliases': ({ tokens }) =>
    times(tokens, () => ({
      type: 'card_number',
      data: '4242424242424242',
      id: '{{ data | alias_preserve_length }}{{ data | alias_preserve_length }}',
    })),
  'many large tokens': ({ tokens, bytes }) =>
    times(tokens, () => ({ type: 'token', data: 'x'.repeat(Math.max(bytes / tokens - 40, 1)) })),
  'many wide tokens': ({ bytes }) =>
    times(10, () => ({
      type: 'token',
      data: Object.fromEntries(times(bytes / 120, (index) => [`k${index}`, index])),
    })),
  'bare strings': ({ tokens }) => times(tokens, (index) => `value ${index}`),
  'bare numbers': ({ bytes }) => times(bytes / 2, () => 1),
  'bare nulls in objects': ({ bytes }) => times(bytes / 11, () => ({ a: null })),
  'many containers': ({ tokens }) =>
    times(tokens, (index) => ({
      type: 'token',
      data: 'x',
      containers: times(10, (place) => `/c${(index * 7 + place) % 40}/${'d'.repeat(60)}/`),
    })),
} satisfies Record<string, Shape>;

function metadataOf(keys: number): Record<string, string> {
  return Object.fromEntries(times(keys, (index) => [`k${index}`, String(index)]));
}

export function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: Math.max(0, Math.floor(count)) }, (_, index) => make(index));
}

/** Returns a token request whose data is a value that is already JSON text. */
export function tokenOf(dataText: string, rest: object = {}): string {
  const others = JSON.stringify(rest).slice(1, -1);
  return `{"type":"token","data":${dataText}${others === '' ? '' : `,${others}`}}`;
}

export function post(path: string, key: string, body: unknown): MeasuredRequest {
  return { method: 'POST', path, key, body: typeof body === 'string' ? body : JSON.stringify(body) };
}

export function patch(id: string, key: string, body: unknown): MeasuredRequest {
  return {
    method: 'PATCH',
    path: `/tokens/${encodeURIComponent(id)}`,
    key,
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { 'content-type': 'application/merge-patch+json' },
  };
}
