import { DomainError } from '../../core/errors/domain-error.ts';
import type { KeyCaller } from '../../core/identity/caller.ts';
import { Sensitive } from '../../core/identity/sensitive.ts';
import { jsonDepthMax, jsonValuesMax } from '../../core/json/json-limits.ts';
import { JsonSource } from '../../core/json/json-source.ts';
import type { JsonObject, JsonValue } from '../../core/json/json-value.ts';
import { parseJsonSteps } from '../../core/json/parse-json.ts';
import { inTurns } from '../../platform/waiting/turns.ts';
import { type DetokenizeService, type TokenCreator, toTokenJson } from '../tokens/index.ts';
import type { TokenScope, TransformContext, WantedToken } from './transforms/transformed-message.ts';

export interface TransformParts {
  readonly creator: Pick<TokenCreator, 'createAll'>;
  readonly detokenizer: Pick<DetokenizeService, 'detokenize'>;
}

/** What the transforms of one call do in the vault, with the rights that the proxy lends. */
export class StoredEffects implements Pick<TransformContext, 'createTokens' | 'detokenize'> {
  readonly #parts: TransformParts;
  readonly #caller: KeyCaller;
  readonly #created: string[] = [];

  constructor(parts: TransformParts, caller: KeyCaller) {
    this.#parts = parts;
    this.#caller = caller;
  }

  /** The ids of the tokens that have been created so far. */
  get created(): readonly string[] {
    return this.#created;
  }

  readonly createTokens = async (requests: readonly WantedToken[]): Promise<TokenScope[]> => {
    const outcomes = await this.#parts.creator.createAll(this.#caller, requests, () => false);
    return outcomes.map(({ token }) => {
      this.#created.push(token.token.id);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- The vault wrote the text itself.
      const { data: _data, ...scope } = JSON.parse(toTokenJson(token)) as JsonObject;
      return scope;
    });
  };

  /** Evaluates only these texts, and does not evaluate the results again. */
  readonly detokenize = async (references: readonly string[]): Promise<readonly Sensitive<JsonValue>[]> => {
    const { source } = await parse(JSON.stringify(references));
    const { root } = await parse((await this.#parts.detokenizer.detokenize(this.#caller, source)).reveal());
    if (!Array.isArray(root)) throw new DomainError('internal-error', 'References did not yield a list.');
    return root.map((value: JsonValue) => new Sensitive(value));
  };
}

async function parse(text: string): Promise<{ readonly source: JsonSource; readonly root: JsonValue }> {
  const source = new JsonSource();
  const root = await inTurns(parseJsonSteps(text, { depthMax: jsonDepthMax + 1, valuesMax: jsonValuesMax, source }));
  return { source, root };
}
