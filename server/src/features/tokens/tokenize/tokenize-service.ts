import { DomainError, invalidField } from '../../../core/errors/domain-error.ts';
import type { KeyCaller } from '../../../core/identity/caller.ts';
import { Sensitive } from '../../../core/identity/sensitive.ts';
import type { JsonSource } from '../../../core/json/json-source.ts';
import { toJsonText } from '../../../core/json/json-text.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/json/json-value.ts';
import type { Steps } from '../../../core/steps/steps.ts';
import { findIntendedName } from '../../../core/text/intended-name.ts';
import { tokenizeLimits } from '../../../core/token-limits.ts';
import { findTokenType } from '../../../core/token-types/token-type-catalog.ts';
import { misspelledMember } from '../../../http/parameters/field-message.ts';
import { compileSchema, countUnknownMembers, findFieldErrors } from '../../../http/parameters/validation.ts';
import { inTurns, mapInTurns } from '../../../platform/waiting/turns.ts';
import {
  fieldErrorsAt,
  invalidAt,
  joinPath,
  type ReferringRequest,
  type TokenRequest,
} from '../model/token-request.ts';
import { type CreatedToken, requireHarmlessInFields, type TokenCreator, type TokenRepeater } from '../write/index.ts';
import { toTokenJson } from '../model/token-json.ts';
import { CreateToken, toTokenRequest } from '../model/token-schemas.ts';

const { tokensMax, depthMax, valuesMax } = tokenizeLimits;

/** Writes a part of the response. `write` returns the text of the token with this slot number. */
type Writer = (write: (slot: number) => string) => string;
/** The form in which a token appears in the response. */
type SlotForm = 'id' | 'token';

/**
 * The stored result of a request, from which the response to a retry is built: the text around the tokens, and which
 * tokens they are.
 */
export interface TokenizedOutcome {
  /** The texts around the tokens. There is one more text than there are tokens. */
  readonly pieces: readonly string[];
  readonly made: readonly CreatedToken[];
  readonly forms: readonly SlotForm[];
}

export interface TokenizedDocument {
  readonly text: string;
  /** The number of unknown members in token requests, which were ignored. */
  readonly unknownMembers: number;
  readonly outcome: TokenizedOutcome;
}

const tokenShape = compileSchema(CreateToken);
/** JSON text never contains this character, because it is escaped within strings. */
const gap = '\0';

/** Replaces every sensitive leaf of a document with a token, and returns the same shape. */
export class TokenizeService {
  readonly #creator: TokenCreator;
  readonly #repeater: TokenRepeater;

  constructor(parts: { creator: TokenCreator; repeater: TokenRepeater }) {
    this.#creator = parts.creator;
    this.#repeater = parts.repeater;
  }

  /** Tokenizes a document. If one leaf cannot be stored, the request fails and nothing is stored. */
  async tokenize(
    caller: KeyCaller,
    given: Sensitive<JsonValue>,
    { source, isFromFields }: { readonly source: JsonSource; readonly isFromFields: boolean },
  ): Promise<TokenizedDocument> {
    const document = given.reveal();
    if (typeof document !== 'object' || document === null) throw invalidField('body', 'must be an object or an array');
    const reader = new DocumentReader(source);
    const write = await inTurns(reader.read(document, { parent: [document], key: 0, path: '', depth: 0 }));
    const { forms } = reader;
    if (isFromFields) for (const request of reader.requests) requireHarmlessInFields(request);
    const created = await this.#creator.createAll(caller, reader.requests, (slot) => forms[slot] === 'id');
    const outcome = { pieces: write(() => gap).split(gap), made: created.map(({ made }) => made), forms };
    const texts = await mapInTurns(created, ({ token }, slot) =>
      forms[slot] === 'id' ? JSON.stringify(token.token.id) : toTokenJson(token),
    );
    return { text: join(outcome.pieces, texts), unknownMembers: reader.unknownMembers, outcome };
  }

  /** Returns the document of an earlier request, with its tokens as the caller may see them now. */
  async showAgain(caller: KeyCaller, { pieces, made, forms }: TokenizedOutcome): Promise<string> {
    const repeated = await this.#repeater.repeat(caller, made, (slot) => forms[slot] === 'id');
    const texts = await mapInTurns(repeated, async (one, slot) =>
      forms[slot] === 'id' ? JSON.stringify(one.token.id) : toTokenJson(await this.#repeater.show(caller, one)),
    );
    return join(pieces, texts);
  }
}

function join(pieces: readonly string[], texts: readonly string[]): string {
  return pieces.map((piece, index) => piece + (texts[index] ?? '')).join('');
}

interface Position {
  readonly parent: object;
  readonly key: string | number;
  readonly path: string;
  /** The number of arrays and objects around the value. */
  readonly depth: number;
}

/** Walks a document once. It collects the tokens to create and remembers where each of them goes. */
class DocumentReader {
  readonly requests: (TokenRequest | ReferringRequest)[] = [];
  readonly forms: SlotForm[] = [];
  unknownMembers = 0;
  readonly #source: JsonSource;
  #valueCount = 0;

  constructor(source: JsonSource) {
    this.#source = source;
  }

  /** Reads a value. It yields after every token request, because validating those takes longest. */
  *read(value: JsonValue, position: Position): Steps<Writer> {
    if (typeof value === 'string') return this.#readLeaf(value, position);
    if (Array.isArray(value)) return yield* this.#readArray(value, position);
    if (!isJsonObject(value)) return () => toJsonText(value);
    if (!isTokenRequest(value)) {
      requireNoMisspelledRequest(value, position.path);
      return yield* this.#readObject(value, position);
    }
    yield;
    return this.#readTokenRequest(value, position);
  }

  #readLeaf(value: string, { parent, key, path }: Position): Writer {
    return this.#add('id', {
      path,
      id: undefined,
      type: 'token',
      data: new Sensitive(value),
      dataText: new Sensitive(this.#source.textOf(parent, key, value)),
      mask: undefined,
      containers: undefined,
      metadata: undefined,
      searchIndexes: undefined,
      fingerprintExpression: undefined,
      deduplicate: undefined,
      expiresAt: undefined,
    });
  }

  #readTokenRequest(value: JsonObject, { path }: Position): Writer {
    if (!tokenShape.Check(value)) throw fieldErrorsAt(path, findFieldErrors(tokenShape, value, 'body'));
    this.unknownMembers += countUnknownMembers(value);
    return this.#add('token', toTokenRequest(value, this.#source, path));
  }

  *#readArray(values: readonly JsonValue[], position: Position): Steps<Writer> {
    requireDepth(position);
    this.#requireFewer(values.length);
    const writers: Writer[] = [];
    for (const [index, value] of values.entries()) {
      writers.push(yield* this.read(value, within(position, values, index)));
    }
    return (write) => `[${writers.map((writer) => writer(write)).join(',')}]`;
  }

  *#readObject(object: JsonObject, position: Position): Steps<Writer> {
    requireDepth(position);
    const keys = Object.keys(object);
    this.#requireFewer(keys.length);
    const members: (readonly [string, Writer])[] = [];
    for (const key of keys) {
      members.push([JSON.stringify(key), yield* this.read(object[key] ?? null, within(position, object, key))]);
    }
    return (write) => `{${members.map(([key, writer]) => `${key}:${writer(write)}`).join(',')}}`;
  }

  /** Checks the number of values before they are read. Values inside a token request do not count. */
  #requireFewer(valueCount: number): void {
    this.#valueCount += valueCount;
    if (this.#valueCount > valuesMax) {
      throw new DomainError('validation-failed', `A document to tokenize can have at most ${valuesMax} values.`);
    }
  }

  #add(form: SlotForm, request: TokenRequest | ReferringRequest): Writer {
    if (this.requests.length === tokensMax) {
      throw new DomainError('validation-failed', `A request makes at most ${tokensMax} tokens.`);
    }
    const slot = this.requests.push(request) - 1;
    this.forms.push(form);
    return (write) => write(slot);
  }
}

/** Returns true for an object with a type and data, or with a type and what stands for data. */
function isTokenRequest(object: JsonObject): boolean {
  if (!Object.hasOwn(object, 'type')) return false;
  return (
    Object.hasOwn(object, 'data') ||
    (typeof object['type'] === 'string' && (isText(object['encrypted']) || isText(object['token_intent_id'])))
  );
}

function isText(value: JsonValue | undefined): boolean {
  return typeof value === 'string';
}

/** Objects with more members than a token request can have are treated as plain data. */
const requestMembersMax = 20;

/** The members of a token request that hold its data or stand for it. */
const dataMembers = ['data', 'encrypted', 'token_intent_id'];

/**
 * Rejects an object that looks like a misspelled token request. An object with `type` and data is a token request. If
 * one of the names is misspelled, a card number would become a generic token in another container. Therefore an object
 * whose type is a known token type must spell both names correctly.
 */
function requireNoMisspelledRequest(object: JsonObject, path: string): void {
  const names = Object.keys(object);
  if (names.length > requestMembersMax) return;
  const find = (meant: string) =>
    Object.hasOwn(object, meant) ? meant : names.find((name) => findIntendedName(name, [meant]) !== undefined);
  const type = find('type');
  const meant = dataMembers.find((name) => ![undefined, type].includes(find(name)));
  if (type === undefined || meant === undefined) return;
  const named = object[type];
  if (typeof named !== 'string' || findTokenType(named) === undefined) return;
  if (type === 'type' && Object.hasOwn(object, meant)) return;
  throw invalidAt(path, type === 'type' ? meant : 'type', misspelledMember);
}

/**
 * Limits the nesting of arrays and objects. A token request does not count as a level, regardless of what its data
 * contains.
 */
function requireDepth({ path, depth }: Position): void {
  if (depth >= depthMax) throw invalidField(path, `must not be nested deeper than ${depthMax} levels`);
}

function within(position: Position, parent: object, key: string | number): Position {
  return { parent, key, path: joinPath(position.path, String(key)), depth: position.depth + 1 };
}
