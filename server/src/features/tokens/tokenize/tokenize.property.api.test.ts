import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { uuidV4 } from '../../../../test/harness/test-application.ts';
import { type TestTenant, TestVault } from '../../../../test/harness/test-vault.ts';

let vault: TestVault;
let tenant: TestTenant;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
});
afterAll(() => vault.stop());

/** A document as written. Scalars keep their text, and token requests keep their data. */
type Document =
  | { readonly kind: 'leaf'; readonly text: string }
  | { readonly kind: 'scalar'; readonly text: string }
  | { readonly kind: 'request'; readonly data: string }
  | { readonly kind: 'array'; readonly items: readonly Document[] }
  | { readonly kind: 'object'; readonly members: readonly (readonly [string, Document])[] };

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.constantFrom('', '\0', '\u2028', '{{', '}}', '{{ none }}', '\\', '"', '</script>', '\ud800', '__proto__'),
);
const scalar = fc.oneof(
  fc.constantFrom('true', 'false', 'null', '1.0', '-0', '1e400', '-1E-7', '12345678901234567890', '0.10'),
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
);
/** Keys that look like array indexes are excluded, because JavaScript moves them to the front. */
const key = fc
  .oneof(text, fc.constantFrom('__proto__', 'constructor', 'type', 'data', 'id', 'toString', 'a.b'))
  .filter((name) => !/^\d+$/.test(name));

const { document } = fc.letrec<{
  document: Document;
  inside: Document;
  array: Document;
  object: Document;
  leaf: Document;
}>((tie) => ({
  document: fc.oneof(tie('array'), tie('object')),
  inside: fc.oneof({ maxDepth: 5, withCrossShrink: true }, tie('leaf'), tie('array'), tie('object')),
  leaf: fc.oneof(
    { arbitrary: text.map((value) => ({ kind: 'leaf', text: JSON.stringify(value) }) as const), weight: 3 },
    scalar.map((value) => ({ kind: 'scalar', text: value }) as const),
    fc
      .oneof(
        scalar,
        text.map((value) => JSON.stringify(value)),
        fc.json({ maxDepth: 2 }),
      )
      .map((data) => ({ kind: 'request', data }) as const),
  ),
  array: fc.array(tie('inside'), { maxLength: 5 }).map((items) => ({ kind: 'array', items }) as const),
  object: fc
    .uniqueArray(fc.tuple(key, tie('inside')), { maxLength: 5, selector: ([name]) => name })
    .filter((members) => !['type', 'data'].every((name) => members.some(([other]) => other === name)))
    .map((members) => ({ kind: 'object', members }) as const),
}));

/** Writes a document with a replacement for each leaf and each request. */
function write(node: Document, place: { leaf: (text: string) => string; request: (data: string) => string }): string {
  switch (node.kind) {
    case 'leaf':
      return place.leaf(node.text);
    case 'scalar':
      return node.text;
    case 'request':
      return place.request(node.data);
    case 'array':
      return `[${node.items.map((item) => write(item, place)).join(',')}]`;
    case 'object':
      return `{${node.members.map(([name, member]) => `${JSON.stringify(name)}:${write(member, place)}`).join(',')}}`;
  }
}

/**
 * Reads a response along its document, character by character, and collects the ids. It throws at anything unexpected.
 */
class ShapeReader {
  readonly ids: string[] = [];
  readonly #answer: string;
  #at = 0;

  constructor(answer: string) {
    this.#answer = answer;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#answer.length;
  }

  read(node: Document): void {
    switch (node.kind) {
      case 'leaf':
        return this.#readId('"', '"');
      case 'scalar':
        return this.#expect(node.text);
      case 'request':
        return this.#readToken(node.data);
      case 'array':
        return this.#readAll('[', node.items, ']', (item) => this.read(item));
      case 'object':
        return this.#readAll('{', node.members, '}', ([name, member]) => {
          this.#expect(`${JSON.stringify(name)}:`);
          this.read(member);
        });
    }
  }

  #readAll<T>(open: string, parts: readonly T[], close: string, read: (part: T) => void): void {
    this.#expect(open);
    parts.forEach((part, index) => {
      if (index > 0) this.#expect(',');
      read(part);
    });
    this.#expect(close);
  }

  /** Expects the data in the token as sent. The creation time is written last. */
  #readToken(data: string): void {
    this.#readId('{"id":"', `","tenant_id":"${tenant.id}","type":"token","data":${data},`);
    this.#at = this.#answer.indexOf('}', this.#answer.indexOf('"created_at":"', this.#at)) + 1;
  }

  #readId(before: string, after: string): void {
    this.#expect(before);
    const id = this.#answer.slice(this.#at, this.#at + 36);
    expect(id).toMatch(uuidV4);
    this.ids.push(id);
    this.#at += id.length;
    this.#expect(after);
  }

  #expect(text: string): void {
    expect(this.#answer.slice(this.#at, this.#at + text.length)).toBe(text);
    this.#at += text.length;
  }
}

describe('any document', () => {
  it('is answered in its own shape, and comes back from its tokens as it was', async () => {
    await fc.assert(
      fc.asyncProperty(document, async (node) => {
        const rawBody = write(node, { leaf: (leaf) => leaf, request: (data) => `{"type":"token","data":${data}}` });
        const answer = await vault.request('POST', '/tokenize', { key: tenant.keys.reveal, rawBody });
        expect(answer.status).toBe(200);

        const reader = new ShapeReader(answer.text);
        reader.read(node);
        expect(reader.isAtEnd).toBe(true);
        const { ids } = reader;
        expect(new Set(ids).size).toBe(ids.length);
        fc.pre(ids.length <= 100);

        const queue = [...ids];
        const reference = () => `"{{ ${queue.shift()} }}"`;
        const references = write(node, { leaf: reference, request: reference });
        const back = await vault.request('POST', '/detokenize', { key: tenant.keys.reveal, rawBody: references });
        expect(back.status).toBe(200);
        const original = write(node, { leaf: (leaf) => leaf, request: (data) => data });
        expect(JSON.parse(back.text)).toEqual(JSON.parse(original));
        if (!hasRespelled(node)) expect(back.text).toBe(original);
      }),
      { seed: 20_240_607, numRuns: 200 },
    );
  });
});

/**
 * Returns whether data of a request may be spelled with spaces or with members that JavaScript reorders. In that case
 * only its value is compared.
 */
function hasRespelled(node: Document): boolean {
  if (node.kind === 'request') return /[[{]/.test(node.data);
  if (node.kind === 'array') return node.items.some(hasRespelled);
  return node.kind === 'object' && node.members.some(([, member]) => hasRespelled(member));
}
