import type { Schema } from './api-operations.ts';
import { hostileNumbers, hostileTexts } from './hostile-values.ts';
import type { SeededRandom } from '../../src/core/random/seeded-random.ts';

/** Meaningful values by field name. Random text would never pass the first check. */
const meaningful: Readonly<Record<string, readonly unknown[]>> = {
  type: ['token', 'card', 'bank', 'card_number', 'social_security_number', 'private', 'public', 'management'],
  data: [
    'text',
    7,
    true,
    null,
    ['a', { b: 'c' }],
    { number: '4242424242424242', expiration_month: 12, expiration_year: 2040, cvc: '123' },
    { number: '378282246310005' },
    { routing_number: '021000021', account_number: '0001' },
    '4242424242424242',
    '111-22-3333',
    { deep: { deeper: { deepest: [1, 2, 3] } } },
  ],
  mask: ['{{ data }}', '{{ data | reveal_last: 4 }}', { a: '{{ data.number | reveal_last: 4 }}' }, null, ['x']],
  id: ['{{ data | alias_preserve_length }}', '{{ data | alias_card }}', 'my-id', 'ä ö'],
  containers: [['/pci/high/'], ['/'], ['/a/b/'], ['/a/', '/b/']],
  metadata: [{ a: 'b' }, {}, { 'a.b': 'c', 'a[b]': 'd' }],
  search_indexes: [['{{ data }}'], ['{{ data.number | last4 }}'], []],
  fingerprint_expression: ['{{ data }}', '{{ data | stringify }}', 'constant'],
  expires_at: ['2040-01-01T00:00:00Z', '2040-08-26T19:23:57-07:00', '8/26/2040', null],
  query: ['data:x', 'type:card AND NOT metadata.a:b', 'created_at:[2020 TO *]', '(id:a OR id:b)', '*', ''],
  permissions: [['token:create'], ['token:read', 'token:use'], ['application:read'], []],
  container: ['/', '/pci/'],
  transform: ['mask', 'reveal', 'redact'],
  rules: [[{ description: 'x', priority: 1, container: '/', transform: 'mask', permissions: ['token:read'] }], []],
  nonce: ['2'.repeat(44)],
  page: ['1', '2', '99999'],
  size: ['1', '100', 20],
  start: ['', 'nonsense'],
  settings: [
    { deduplicate_tokens: 'true' },
    { fingerprint_tokens: 'false' },
    { token_deduplication_behavior: 'update_existing' },
    {},
  ],
};

/** Makes values for schemas: valid, slightly wrong and entirely wrong ones. */
export class ValueMaker {
  readonly #random: SeededRandom;

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  /** Returns a value that fits the schema and is often meaningful. */
  valid(schema: Schema, name = ''): unknown {
    const known = meaningful[name];
    if (known !== undefined && this.#random.chance(0.8)) return structuredClone(this.#random.pick(known));
    if (schema.const !== undefined) return schema.const;
    if (schema.enum !== undefined) return this.#random.pick(schema.enum);
    if (schema.anyOf !== undefined) return this.valid(this.#random.pick(schema.anyOf), name);
    switch (schema.type ?? 'any') {
      case 'object':
        return this.#object(schema);
      case 'array':
        return Array.from({ length: (schema.minItems ?? 0) + this.#random.below(3) }, () =>
          this.valid(schema.items ?? {}),
        );
      case 'integer':
      case 'number':
        return (
          (schema.minimum ?? 0) + this.#random.below(Math.min((schema.maximum ?? 100) - (schema.minimum ?? 0), 100))
        );
      case 'boolean':
        return this.#random.chance(0.5);
      case 'null':
        return null;
      case 'string':
        return this.#text(schema);
      default:
        return this.#random.pick([null, 1, 'x', true, [], {}, ['x', 1], { a: 'b' }]);
    }
  }

  /** Returns a value with one to three parts that are wrong or at least odd. */
  nearlyValid(schema: Schema): unknown {
    let value = this.valid(schema);
    for (let count = 1 + this.#random.below(3); count > 0; count -= 1) value = this.#spoil(value);
    return value;
  }

  hostile(): unknown {
    const random = this.#random;
    switch (random.below(5)) {
      case 0:
        return random.pick(hostileTexts);
      case 1:
        return random.pick(hostileNumbers);
      case 2:
        return Array.from({ length: random.below(30) }, () => random.pick(hostileTexts));
      case 3:
        return Object.fromEntries(
          Array.from({ length: random.below(60) }, () => [random.pick(hostileTexts), random.pick(hostileTexts)]),
        );
      default:
        return random.pick([null, true, [], {}, [[[[[[]]]]]], { '': { '': '' } }]);
    }
  }

  #object({ properties = {}, patternProperties, required = [] }: Schema): Record<string, unknown> {
    const names = Object.keys(properties).filter((name) => required.includes(name) || this.#random.chance(0.3));
    const members = names.map((name) => [name, this.valid(properties[name] ?? {}, name)] as const);
    const [pattern] = Object.values(patternProperties ?? {});
    const others = pattern === undefined ? [] : [['some', this.valid(pattern)] as const];
    return Object.fromEntries([...members, ...others]);
  }

  #text({ minLength = 0, maxLength = 20 }: Schema): string {
    const length = Math.min(minLength + this.#random.below(12), maxLength);
    return Array.from({ length }, () => this.#random.pick([...'abcdefghij0123456789-_'])).join('');
  }

  /** Changes one member or item at any depth. */
  #spoil(value: unknown): unknown {
    const random = this.#random;
    if (typeof value !== 'object' || value === null || random.chance(0.15)) return this.hostile();
    if (Array.isArray(value)) {
      if (value.length === 0 || random.chance(0.2)) return [...(value as unknown[]), this.hostile()];
      const at = random.below(value.length);
      return value.map((item: unknown, index) => (index === at ? this.#spoil(item) : item));
    }
    const names = Object.keys(value);
    if (names.length === 0 || random.chance(0.2)) return { ...value, [random.pick(hostileTexts)]: this.hostile() };
    const name = random.pick(names);
    const { [name]: chosen, ...rest } = value as Record<string, unknown>;
    return random.chance(0.2) ? rest : { ...rest, [name]: this.#spoil(chosen) };
  }
}
