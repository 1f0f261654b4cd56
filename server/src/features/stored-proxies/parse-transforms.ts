import { ExpressionError } from '../../core/expressions/expression-error.ts';
import { compileTemplate, type Template } from '../../core/expressions/template.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/json-value.ts';
import { invalidField } from '../../core/errors/domain-error.ts';
import { compileSchema, findFieldErrors } from '../../http/parameters/validation.ts';
import { CreateToken } from '../tokens/index.ts';
import { compileMask } from './mask-pattern.ts';
import type { GivenTransform } from './stored-proxy.ts';
import type { ProxyTransform, TransformSide } from './transform.ts';
import { parseHeader, parseLocation, type TransformLocation } from './transform-location.ts';

/** The text in a token request that stands for the value found. */
export const valueMark = '{{ value }}';

const declarative: Readonly<Record<TransformSide, string>> = {
  request: 'tokenize, append_header, append_json, append_text or remove',
  response: 'tokenize, detokenize, mask, append_header, append_json, append_text or remove',
};
const tokenShape = compileSchema(CreateToken);
/** A replacement must not end a string, escape what follows it, or be two characters. */
const replacementForm = /^[^\p{C}\p{Zl}\p{Zp}"\\<>&]$/u;

/** Checks transforms and prepares them. Errors name the member that is wrong. */
export function parseTransforms(given: readonly JsonObject[], side: TransformSide): ProxyTransform[] {
  return given.map((transform, index) => new TransformParser(transform, `${side}_transforms.${index}`, side).parse());
}

class TransformParser {
  readonly #given: GivenTransform;
  readonly #options: GivenTransform;
  readonly #field: string;
  readonly #side: TransformSide;

  constructor(given: JsonObject, field: string, side: TransformSide) {
    this.#given = given;
    this.#options = isJsonObject(given['options']) ? given['options'] : {};
    this.#field = field;
    this.#side = side;
  }

  parse(): ProxyTransform {
    const type = this.#given['type'];
    if (type === 'code' || typeof this.#given['code'] === 'string') throw this.#refuseCode();
    // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- The text comes from a request.
    switch (type) {
      case 'tokenize':
        return this.#parseTokenize();
      case 'detokenize':
        return { type, location: this.#requireResponse('type', this.#requireLocation(['json', 'xml'])) };
      case 'mask':
        return this.#requireResponse('type', this.#parseMask());
      case 'append_header':
        return { type, name: this.#requireHeaderName(), value: this.#requireValue() };
      case 'append_json':
        return { type, location: this.#requireMember(), value: this.#requireValue() };
      case 'append_text':
        return { type, value: this.#requireValue() };
      case 'remove':
        return { type, location: this.#requireLocation(['json', 'form', 'xml', 'header']) };
      default:
        throw this.#invalid('type', `must be ${declarative[this.#side]}`);
    }
  }

  #refuseCode() {
    return this.#invalid(
      'type',
      `must be ${declarative[this.#side]}: a vault runs no code of its users. To replace a value with a token, use {"type": "tokenize", "options": {"location": "$.card.number", "token": {"type": "card_number", "data": "${valueMark}"}}}`,
    );
  }

  #parseTokenize(): ProxyTransform {
    const token = this.#options['token'];
    if (!isJsonObject(token)) throw this.#invalid('options.token', 'must be a request for a token');
    for (const name of ['encrypted', 'token_intent_id', 'id'])
      if (name in token)
        throw this.#invalid(`options.token.${name}`, 'cannot be set: the vault creates the data and the id');
    // The author of a view would see data of others through it, whatever the author may read.
    for (const name of ['mask', 'search_indexes', 'fingerprint_expression'])
      if ((token[name] ?? null) !== null)
        throw this.#invalid(`options.token.${name}`, 'cannot be set: tokens of a proxy have the views of their type');
    const sample = { ...token, data: 'value' };
    if (!tokenShape.Check(sample)) {
      const [name = ''] = Object.keys(findFieldErrors(tokenShape, sample, 'token'));
      throw this.#invalid(`options.token.${name}`, 'does not fit a request for a token');
    }
    if (!isWholeMark(token['data'] ?? valueMark))
      throw this.#invalid(
        'options.token.data',
        `must contain ${valueMark} as the whole of a text, and no other expression`,
      );
    const { identifier = 'token' } = this.#options;
    if (typeof identifier !== 'string' || !/^[a-z][a-z0-9_]{0,49}$/i.test(identifier))
      throw this.#invalid('options.identifier', 'must be a name of letters, digits and underscores');
    const location = this.#requireLocation(['json', 'form', 'xml', 'header']);
    const value = this.#compile(this.#options['value'] ?? `{{ ${identifier}.id }}`, [identifier]);
    return { type: 'tokenize', location, token, identifier, value };
  }

  #parseMask(): ProxyTransform {
    const { matcher = 'regex', expression, replacement = '*' } = this.#given;
    if (matcher !== 'regex') throw this.#invalid('matcher', 'must be regex');
    if (typeof expression !== 'string') throw this.#invalid('expression', 'is required');
    if (typeof replacement !== 'string' || !replacementForm.test(replacement))
      throw this.#invalid('replacement', 'must be one character, and none of " \\ < > &');
    const pattern = compileMask(expression);
    if ('wrong' in pattern) throw this.#invalid('expression', pattern.wrong);
    return { type: 'mask', pattern, replacement };
  }

  #requireLocation(kinds: readonly TransformLocation['kind'][]): TransformLocation {
    const text = this.#options['location'];
    const location = typeof text === 'string' && text.length <= 400 ? parseLocation(text) : undefined;
    const isPossible = location !== undefined && kinds.includes(location.kind);
    if (isPossible && !(location.kind === 'form' && this.#side === 'response')) return location;
    const forms = { json: '$.card.number', form: 'form:number', xml: 'xml:/order/card', header: 'header:X-Card' };
    throw this.#invalid(
      'options.location',
      `must be a location such as ${kinds.map((kind) => forms[kind]).join(' or ')}`,
    );
  }

  /** Returns the location of a member that can be added: a path that ends with a name. */
  #requireMember(): TransformLocation {
    const location = this.#requireLocation(['json']);
    const isNamed = location.kind === 'json' && location.path.at(-1)?.kind === 'name';
    if (!isNamed) throw this.#invalid('options.location', 'must end with the name of a member, such as $.merchant.key');
    return location;
  }

  #requireHeaderName(): string {
    const text = this.#options['location'];
    const name = typeof text === 'string' ? text.replace(/^header:/, '') : '';
    if (parseHeader(name) === undefined)
      throw this.#invalid('options.location', 'must be the name of a header that the proxy does not set itself');
    return name;
  }

  /** Secrets are for the destination, so only transforms of requests can use them. */
  #requireValue(): Template {
    return this.#compile(this.#options['value'], this.#side === 'request' ? ['configuration', 'request'] : ['request']);
  }

  #compile(text: JsonValue | undefined, roots: readonly string[]): Template {
    if (typeof text !== 'string') throw this.#invalid('options.value', 'must be a text');
    try {
      const template = compileTemplate(text);
      const isKnown = template.parts.every((part) => typeof part === 'string' || roots.includes(part.path[0] ?? ''));
      if (isKnown) return template;
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      throw this.#invalid('options.value', 'must be a text with valid expressions');
    }
    throw this.#invalid('options.value', `may use only expressions that begin with ${roots.join(' or ')}`);
  }

  #requireResponse<T>(member: string, parsed: T): T {
    if (this.#side === 'response') return parsed;
    throw this.#invalid(member, `must be ${declarative.request}`);
  }

  #invalid(member: string, message: string) {
    return invalidField(`${this.#field}.${member}`, message);
  }
}

/** Returns true if the mark occurs, and always as the whole of a text. */
function isWholeMark(data: JsonValue): boolean {
  const texts = listTexts(data);
  return texts.includes(valueMark) && texts.every((text) => text === valueMark || !text.includes('{{'));
}

function listTexts(value: JsonValue): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(listTexts);
  return isJsonObject(value) ? Object.values(value).flatMap(listTexts) : [];
}
