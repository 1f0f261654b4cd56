import { DomainError, invalidField } from '../../core/errors/domain-error.ts';
import type { Caller } from '../../core/identity/caller.ts';
import { Sensitive } from '../../core/identity/sensitive.ts';
import type { JsonSource } from '../../core/json/json-source.ts';
import { toJsonText } from '../../core/json/json-text.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/json-value.ts';
import { compileSchema, findFieldErrors } from '../../http/validation.ts';
import { joinPath, requireNoFieldErrors } from './request-path.ts';
import type { CreateOutcome, TokenCreator } from './token-creator.ts';
import { toLastingJson, toTokenJson } from './token-json.ts';
import type { TokenRequest } from './token-request.ts';
import { CreateToken, toTokenRequest } from './token-schemas.ts';

export const tokensPerRequestMax = 1_000;
const depthMax = 32;

/** Writes the place of a token in the answer, once it exists. */
type Writer = (created: readonly CreateOutcome[], form: Form) => string;
/** `lasting` leaves card verification codes out. */
type Form = 'whole' | 'lasting';

/** An answer as JSON text, and what may be kept of it where that is not the same. */
export interface TokenizedDocument {
  readonly text: string;
  readonly lastingText: string | undefined;
}

const tokenShape = compileSchema(CreateToken);

/** Replaces every sensitive leaf of a document by a token, and answers with the same shape. */
export class TokenizeService {
  readonly #creator: TokenCreator;

  constructor(creator: TokenCreator) {
    this.#creator = creator;
  }

  /** One leaf that cannot be stored fails the request, and nothing of it is kept. */
  async tokenize(caller: Caller, document: JsonValue, source: JsonSource): Promise<TokenizedDocument> {
    if (typeof document !== 'object' || document === null) throw invalidField('body', 'must be an object or an array');
    const reader = new DocumentReader(source);
    const write = reader.read(document, { parent: [document], key: 0, path: '', depth: 0 });
    const created = await this.#creator.createAll(caller, reader.requests);
    const hasCvc = created.some(({ token }) => token.lastingData !== undefined);
    return { text: write(created, 'whole'), lastingText: hasCvc ? write(created, 'lasting') : undefined };
  }
}

interface Place {
  readonly parent: object;
  readonly key: string | number;
  readonly path: string;
  /** How many arrays and objects are around it. */
  readonly depth: number;
}

/** Walks a document once: collects the tokens to make, and remembers where each of them goes. */
class DocumentReader {
  readonly requests: TokenRequest[] = [];
  readonly #source: JsonSource;

  constructor(source: JsonSource) {
    this.#source = source;
  }

  read(value: JsonValue, place: Place): Writer {
    if (typeof value === 'string') return this.#readLeaf(value, place);
    if (Array.isArray(value)) return this.#readArray(value, place);
    if (!isJsonObject(value)) return () => toJsonText(value);
    if (Object.hasOwn(value, 'type') && Object.hasOwn(value, 'data')) return this.#readTokenRequest(value, place);
    return this.#readObject(value, place);
  }

  #readLeaf(value: string, { parent, key, path }: Place): Writer {
    const slot = this.#add({
      path,
      id: undefined,
      type: 'token',
      data: value,
      dataText: new Sensitive(this.#source.textOf(parent, key, value)),
      mask: undefined,
      containers: undefined,
      metadata: undefined,
      searchIndexes: undefined,
      fingerprintExpression: undefined,
      deduplicate: undefined,
      expiresAt: undefined,
    });
    return (created) => JSON.stringify(outcomeAt(created, slot).token.token.id);
  }

  #readTokenRequest(value: JsonObject, { path }: Place): Writer {
    if (!tokenShape.Check(value)) requireNoFieldErrors(path, findFieldErrors(tokenShape, value, 'body'));
    const slot = this.#add(toTokenRequest(value as CreateToken, this.#source, path));
    return (created, form) => {
      const { token } = outcomeAt(created, slot);
      return (form === 'lasting' ? toLastingJson(token) : undefined) ?? toTokenJson(token);
    };
  }

  #readArray(values: readonly JsonValue[], place: Place): Writer {
    requireDepth(place);
    const writers = values.map((value, index) => this.read(value, within(place, values, index)));
    return (created, form) => `[${writers.map((write) => write(created, form)).join(',')}]`;
  }

  #readObject(object: JsonObject, place: Place): Writer {
    requireDepth(place);
    const members = Object.entries(object).map(
      ([key, value]) => [JSON.stringify(key), this.read(value, within(place, object, key))] as const,
    );
    return (created, form) => `{${members.map(([key, write]) => `${key}:${write(created, form)}`).join(',')}}`;
  }

  #add(request: TokenRequest): number {
    if (this.requests.length === tokensPerRequestMax) {
      throw new DomainError('validation-failed', `A request makes at most ${tokensPerRequestMax} tokens.`);
    }
    return this.requests.push(request) - 1;
  }
}

/** Arrays and objects are levels; a token request is not one of them, whatever its data holds. */
function requireDepth({ path, depth }: Place): void {
  if (depth >= depthMax) throw invalidField(path, `must not be nested deeper than ${depthMax} levels`);
}

function within(place: Place, parent: object, key: string | number): Place {
  return { parent, key, path: joinPath(place.path, String(key)), depth: place.depth + 1 };
}

function outcomeAt(created: readonly CreateOutcome[], slot: number): CreateOutcome {
  const outcome = created[slot];
  if (outcome === undefined) throw new Error('A token of the request was not made.');
  return outcome;
}
