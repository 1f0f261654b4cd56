import type { Transform } from '../../core/access/access-rule.ts';
import { ExpressionError } from '../../core/expressions/expression-error.ts';
import { Sensitive } from '../../core/identity/sensitive.ts';
import { toJsonText } from '../../core/json/json-text.ts';
import type { JsonValue } from '../../core/json/json-value.ts';
import { parseJson } from '../../core/json/parse-json.ts';
import { findTokenType } from '../../core/token-types/token-type-catalog.ts';
import type { TokenType } from '../../core/token-types/token-type.ts';
import type { CvcSealer } from '../../platform/keyring/cvc-sealer.ts';
import type { Keyring } from '../../platform/keyring/keyring.ts';
import type { StoredToken, VisibleToken } from './token.ts';
import { tokenBinding } from './token-binding.ts';
import { evaluateTokenMask, findMask } from './token-expressions.ts';

/** Stored data passed our parser once; this only has to be deeper than anything that did. */
const depthMax = 128;

/** What a view of a token is made of. A draft, whose parts are known already, serves as well as an opened token. */
export interface TokenContent {
  /** Without the card verification code. */
  readonly dataText: Sensitive<string>;
  readonly data: JsonValue;
  /** JSON text of the data as masked views show it; undefined where they show none. */
  readonly masked: Sensitive<string> | undefined;
}

/** The plaintext of a stored token; taken apart and masked only when somebody looks inside. */
export class OpenedToken implements TokenContent {
  readonly dataText: Sensitive<string>;
  readonly #token: StoredToken;
  #data: JsonValue | undefined;
  #masking: { readonly masked: Sensitive<string> | undefined } | undefined;

  constructor(token: StoredToken, text: string) {
    this.#token = token;
    this.dataText = new Sensitive(text);
  }

  get data(): JsonValue {
    this.#data ??= parseJson(this.dataText.reveal(), { depthMax });
    return this.#data;
  }

  get masked(): Sensitive<string> | undefined {
    this.#masking ??= { masked: this.#mask() };
    return this.#masking.masked;
  }

  #mask(): Sensitive<string> | undefined {
    try {
      const mask = findMask(this.#token, getTokenType(this.#token));
      return mask === undefined ? undefined : evaluateTokenMask(mask, this.data);
    } catch (error) {
      // A mask was evaluated before it was stored. Should a later version refuse one, it hides the data: a list must
      // not fail because of one token in it.
      if (error instanceof ExpressionError) return undefined;
      throw error;
    }
  }
}

/** Opens tokens, and nothing else. */
export interface TokenOpener {
  open(token: StoredToken): Promise<OpenedToken>;
}

/** Opens tokens and shows them the way a transform allows. Plaintext begins here. */
export class TokenPresenter implements TokenOpener {
  readonly #keyring: Keyring;
  readonly #cvcSealer: CvcSealer;

  constructor(parts: { keyring: Keyring; cvcSealer: CvcSealer }) {
    this.#keyring = parts.keyring;
    this.#cvcSealer = parts.cvcSealer;
  }

  async open(token: StoredToken): Promise<OpenedToken> {
    const keys = await this.#keyring.forRecord(token.tenantId, token.data);
    return new OpenedToken(token, keys.open(token.data, tokenBinding(token, 'data')));
  }

  /** The card verification code as JSON text, for as long as it lives. */
  async openCvc(token: StoredToken): Promise<Sensitive<string> | undefined> {
    const { cvc, tenantId } = token;
    if (cvc === null) return undefined;
    const binding = tokenBinding({ ...token, version: cvc.tokenVersion }, 'cvc');
    const text = await this.#cvcSealer.open(cvc.sealed, { ...binding, tenantId });
    return text === undefined ? undefined : new Sensitive(text);
  }

  async show(token: StoredToken, transform: Transform, known?: TokenContent): Promise<VisibleToken> {
    const type = getTokenType(token);
    const content = known ?? (await this.open(token));
    return {
      token,
      ...(await this.#dataFor(transform, token, content)),
      mask: shownMask(token, type, content),
      searchIndexes:
        token.searchIndexes === null ? type.defaultSearchIndexes : (JSON.parse(token.searchIndexes) as string[]),
      fingerprintExpression: token.fingerprintExpression ?? type.defaultFingerprintExpression,
      derived: transform === 'redact' ? undefined : type.derive?.(content.data),
    };
  }

  async #dataFor(
    transform: Transform,
    token: StoredToken,
    content: TokenContent,
  ): Promise<Pick<VisibleToken, 'data' | 'lastingData'>> {
    switch (transform) {
      case 'redact':
        return { data: undefined };
      case 'mask':
        return { data: content.masked };
      case 'reveal': {
        const cvc = await this.openCvc(token);
        const { dataText } = content;
        return cvc === undefined ? { data: dataText } : { data: withCvc(dataText, cvc), lastingData: dataText };
      }
    }
  }
}

export function getTokenType(token: { readonly type: string }): TokenType {
  const type = findTokenType(token.type);
  if (type === undefined) throw new Error('A stored token has a type that this version does not know.');
  return type;
}

/** What was supplied is echoed; a card on its default mask shows what the mask makes of it. */
function shownMask(token: StoredToken, type: TokenType, content: TokenContent): string | undefined {
  if (token.mask !== null) return token.mask === 'null' ? undefined : token.mask;
  if (token.type === 'card') return content.masked?.reveal();
  return type.defaultMask === undefined ? undefined : toJsonText(type.defaultMask);
}

/** Puts the code back as the last member of the card object. */
function withCvc(text: Sensitive<string>, cvc: Sensitive<string>): Sensitive<string> {
  const object = text.reveal().trimEnd();
  const separator = object.slice(1, -1).trim() === '' ? '' : ',';
  return new Sensitive(`${object.slice(0, -1)}${separator}"cvc":${cvc.reveal()}}`);
}
