import { ExpressionError } from '../../../core/expressions/expression-error.ts';
import { Sensitive } from '../../../core/identity/sensitive.ts';
import { storedDepthMax } from '../../../core/json/json-limits.ts';
import { toJsonText } from '../../../core/json/json-text.ts';
import type { JsonValue } from '../../../core/json/json-value.ts';
import { parseJson, parseJsonSteps } from '../../../core/json/parse-json.ts';
import { getTokenType } from '../../../core/token-types/token-type-catalog.ts';
import { inTurns } from '../../../platform/waiting/turns.ts';
import type { StoredToken } from '../model/token.ts';
import { evaluateTokenMask, findMask } from '../model/token-expressions.ts';

/** Data longer than this is parsed over several turns of the event loop. */
export const lengthAtOnceMax = 16 * 1024;

/** The content that a view of a token is built from: an opened token, or a draft whose parts are already known. */
export interface TokenContent {
  /** The JSON text without the card verification code. */
  readonly dataText: Sensitive<string>;
  readonly data: Sensitive<JsonValue>;
  /** JSON text of the data in masked views. Undefined if they contain no data. */
  readonly masked: Sensitive<string> | undefined;
}

/** The plaintext of a stored token. It is parsed and masked only on demand. */
export class OpenedToken implements TokenContent {
  readonly dataText: Sensitive<string>;
  readonly #token: StoredToken;
  #data: Sensitive<JsonValue> | undefined;
  #masking: { readonly masked: Sensitive<string> | undefined } | undefined;

  constructor(token: StoredToken, dataText: Sensitive<string>) {
    this.#token = token;
    this.dataText = dataText;
  }

  /**
   * Parses large data over several turns. Call it before `data` and `masked`, which would otherwise parse it all at
   * once.
   */
  async load(): Promise<void> {
    const text = this.dataText.reveal();
    if (text.length > lengthAtOnceMax)
      this.#data ??= new Sensitive(await inTurns(parseJsonSteps(text, { depthMax: storedDepthMax })));
  }

  get data(): Sensitive<JsonValue> {
    this.#data ??= new Sensitive(parseJson(this.dataText.reveal(), { depthMax: storedDepthMax }));
    return this.#data;
  }

  get masked(): Sensitive<string> | undefined {
    this.#masking ??= { masked: this.#mask() };
    return this.#masking.masked;
  }

  #mask(): Sensitive<string> | undefined {
    try {
      const mask = findMask(this.#token, getTokenType(this.#token));
      return mask === undefined ? undefined : new Sensitive(toJsonText(evaluateTokenMask(mask, this.data).reveal()));
    } catch (error) {
      // A mask was evaluated before it was stored. If a later version rejects it, the data is hidden, because a list
      // must not fail because of one of its tokens.
      if (error instanceof ExpressionError) return undefined;
      throw error;
    }
  }
}
