import { jsonSpellings, otherContentTypes } from '../harness/content-types.ts';
import type { ApiOperation } from './api-operations.ts';
import { hostileJson, hostileTexts } from './hostile-values.ts';
import type { SeededRandom } from '../../src/core/random/seeded-random.ts';
import { ValueMaker } from './value-maker.ts';

export interface FuzzedRequest {
  readonly operation: ApiOperation;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
  /** True if the request carries a valid key. */
  readonly hasKey: boolean;
}

/** The keys and ids that the vault has issued so far. Requests with existing ids get further. */
export interface Known {
  readonly keys: Readonly<Record<'private' | 'reveal' | 'public' | 'management', string>>;
  readonly ids: string[];
}

const badKeys = ['', 'x', 'key_test_pvt_1', 'é', 'x'.repeat(200), `key_test_pvt_${'1'.repeat(66)}_111111`];
const oddHeaders: readonly (readonly [string, readonly string[]])[] = [
  ['bt-trace-id', ['x', 'a b', 'x'.repeat(500), '<script>']],
  ['bt-idempotency-key', ['same', 'a b', 'x'.repeat(255), 'x'.repeat(256), '{{ data }}']],
  ['x-forwarded-for', ['1.2.3.4', '::1', ',,,', 'unknown, 1.2.3.4', '1'.repeat(3_000)]],
  ['accept', ['text/html', '*/*;q=0', 'nonsense']],
  ['accept-encoding', ['gzip, br', '*', 'identity;q=0']],
  ['content-encoding', ['gzip', 'br', 'identity', 'chunked']],
  ['origin', ['https://a.example', 'null', '*']],
  ['range', ['bytes=0-1', 'bytes=-1', 'x']],
  ['if-none-match', ['*', '"x"']],
  ['upgrade', ['h2c', 'websocket']],
  ['x-http-method-override', ['DELETE', 'PATCH']],
  ['cookie', ['a=b; __proto__=c', '='.repeat(1_000)]],
  ['host', ['', 'evil.example', 'a b', '[::1', 'localhost:99999']],
  ['te', ['trailers', 'x']],
  ['expect', ['100-continue']],
];

/**
 * Makes requests: half are valid, a third are nearly valid, and all others are hostile. The same seed produces the same
 * requests.
 */
export class RequestMaker {
  readonly #random: SeededRandom;
  readonly #values: ValueMaker;
  readonly #operations: readonly ApiOperation[];
  readonly #known: Known;

  constructor(random: SeededRandom, operations: readonly ApiOperation[], known: Known) {
    this.#random = random;
    this.#values = new ValueMaker(random);
    this.#operations = operations;
    this.#known = known;
  }

  next(): FuzzedRequest {
    const random = this.#random;
    const operation = random.pick(this.#operations);
    const mood = random.next();
    const isHostile = mood > 0.83;
    const body = this.#body(operation, mood);
    // Deleting the tenant would turn every later response into a 401.
    const isLast = operation.method === 'DELETE' && operation.path === '/tenants/self';
    const hasKey = !isLast && !random.chance(isHostile ? 0.2 : 0.03);
    const key = hasKey ? this.#key(operation) : random.pick(badKeys);
    return {
      operation,
      path: this.#path(operation, isHostile),
      headers: {
        ...(key === '' ? {} : { 'bt-api-key': toHeader(key) }),
        ...(body === undefined ? {} : { 'content-type': toHeader(this.#contentType(operation, isHostile)) }),
        ...(random.chance(isHostile ? 0.5 : 0.1) ? this.#oddHeader() : {}),
      },
      body,
      hasKey,
    };
  }

  /** Returns a key. It usually has the permission, because few requests are needed to cover early refusals. */
  #key({ path }: ApiOperation): string {
    const { keys } = this.#known;
    if (this.#random.chance(0.1)) return this.#random.pick(Object.values(keys));
    if (path === '/sessions') return keys.public;
    if (/token|sessions/.test(path)) return this.#random.pick([keys.private, keys.reveal]);
    return keys.management;
  }

  #body({ method, body }: ApiOperation, mood: number): Buffer | undefined {
    const random = this.#random;
    if (body === undefined && !random.chance(0.1)) return undefined;
    if (method === 'GET') return undefined;
    const schema = body ?? {};
    if (mood <= 0.5) return Buffer.from(JSON.stringify(this.#values.valid(schema)) ?? '');
    if (mood <= 0.83) return Buffer.from(JSON.stringify(this.#values.nearlyValid(schema)) ?? '');
    switch (random.below(4)) {
      case 0:
        return Buffer.from(random.pick(hostileJson));
      case 1:
        return Buffer.from(Array.from({ length: random.below(300) }, () => random.below(256)));
      case 2:
        return this.#damage(Buffer.from(JSON.stringify(this.#values.valid(schema)) ?? ''));
      default:
        return Buffer.from(JSON.stringify(this.#values.hostile()) ?? '');
    }
  }

  #damage(bytes: Buffer): Buffer {
    for (let count = 1 + this.#random.below(4); count > 0 && bytes.length > 0; count -= 1) {
      bytes[this.#random.below(bytes.length)] = this.#random.below(256);
    }
    return this.#random.chance(0.3) ? bytes.subarray(0, this.#random.below(bytes.length + 1)) : bytes;
  }

  #contentType({ mediaType }: ApiOperation, isHostile: boolean): string {
    if (!isHostile || this.#random.chance(0.5))
      return this.#random.chance(0.9) ? mediaType : this.#random.pick(jsonSpellings(mediaType));
    return this.#random.pick(otherContentTypes);
  }

  #path({ path, query }: ApiOperation, isHostile: boolean): string {
    const random = this.#random;
    const filled = path.replaceAll(/\{[^}]+\}/g, () => this.#segment(isHostile));
    const parameters = query.flatMap(({ name, schema }) => {
      if (!random.chance(0.4)) return [];
      const value = isHostile ? random.pick(hostileTexts) : this.#values.valid(schema, name);
      return [`${encode(name)}=${encode(typeof value === 'string' ? value : JSON.stringify(value))}`];
    });
    if (isHostile && random.chance(0.3))
      parameters.push(`${encode(random.pick(hostileTexts))}=${encode(random.pick(hostileTexts))}`);
    const suffix = random.chance(0.05) ? '/' : '';
    return `${filled}${suffix}${parameters.length === 0 ? '' : `?${parameters.join('&')}`}`;
  }

  #segment(isHostile: boolean): string {
    const { ids } = this.#known;
    if (isHostile) return encode(this.#random.pick(hostileTexts)) || '%20';
    return ids.length > 0 && this.#random.chance(0.8) ? encode(this.#random.pick(ids)) : crypto.randomUUID();
  }

  #oddHeader(): Record<string, string> {
    const [name, values] = this.#random.pick(oddHeaders);
    return { [name]: this.#random.pick(values) };
  }
}

/**
 * Encodes text for a path. Lone surrogates cannot be percent-encoded, so they are sent as the bytes that a careless
 * client would send.
 */
function encode(text: string): string {
  return text.isWellFormed() ? encodeURIComponent(text) : '%ED%A0%80';
}

/**
 * Returns a header value as bytes. Characters that are not allowed in a header are removed, because the client
 * would refuse to send them.
 */
function toHeader(text: string): string {
  return Buffer.from(text, 'utf8')
    .toString('latin1')
    .replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '');
}
