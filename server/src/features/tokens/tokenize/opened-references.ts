import { insertedCharactersMax, type RequestBudget } from '../../../core/budget/request-budget.ts';
import { EvaluationBudget } from '../../../core/expressions/evaluation-budget.ts';
import type { ReferenceSource } from '../../../core/expressions/reference-evaluation.ts';
import type { Reference } from '../../../core/expressions/reference-text.ts';
import { Sensitive } from '../../../core/identity/sensitive.ts';
import { storedDepthMax } from '../../../core/json/json-limits.ts';
import type { JsonValue } from '../../../core/json/json-value.ts';
import { parseJsonSteps } from '../../../core/json/parse-json.ts';
import type { Steps } from '../../../core/steps/steps.ts';
import { expressionTools } from '../../../platform/keyring/expression-tools.ts';
import type { VisibleToken } from '../model/token.ts';
import { toTokenJson } from '../model/token-json.ts';
import { encryptedReference } from './encrypted-references.ts';

/** A token intent as JSON text, with its data. */
export interface OpenedIntent {
  readonly id: string;
  readonly text: Sensitive<string>;
}

/**
 * The values that the references of one request resolve to. Each token is serialized and parsed only once, no matter
 * how often it is referenced.
 */
export class OpenedReferences implements ReferenceSource {
  readonly tools = expressionTools;
  readonly budget: EvaluationBudget;
  readonly #tokens: ReadonlyMap<string, VisibleToken>;
  readonly #texts = new Map<string, Sensitive<string>>();
  readonly #values = new Map<string, Sensitive<JsonValue>>();

  constructor(
    tokens: readonly VisibleToken[],
    {
      intents,
      encrypted,
    }: { readonly intents: readonly OpenedIntent[]; readonly encrypted: Sensitive<string> | undefined },
    budget: RequestBudget,
  ) {
    if (encrypted !== undefined) this.#texts.set(`data ${encryptedReference}`, encrypted);
    for (const { id, text } of intents) this.#texts.set(`intent ${id}`, text);
    this.#tokens = new Map(tokens.map((token) => [token.token.id, token]));
    this.budget = new EvaluationBudget({
      outputCharactersMax: insertedCharactersMax,
      workCharactersMax: budget.leftOf('evaluatedCharacters'),
      request: budget,
    });
  }

  textOf(reference: Reference): Sensitive<string> | undefined {
    const key = keyOf(reference);
    const known = this.#texts.get(key);
    if (known !== undefined) return known;
    const token = reference.kind === 'intent' ? undefined : this.#tokens.get(reference.tokenId);
    if (token === undefined) return undefined;
    const text = toText(token, reference.kind);
    this.#texts.set(key, text);
    return text;
  }

  *valueOf(reference: Reference): Steps<Sensitive<JsonValue>> {
    const key = keyOf(reference);
    const known = this.#values.get(key);
    if (known !== undefined) return known;
    const text = this.textOf(reference)?.reveal() ?? 'null';
    const value = new Sensitive(yield* parseJsonSteps(text, { depthMax: storedDepthMax }));
    this.#values.set(key, value);
    return value;
  }
}

function keyOf({ kind, tokenId }: Reference): string {
  return kind === 'intent' ? `intent ${tokenId.toLowerCase()}` : `${kind} ${tokenId}`;
}

/** Returns null for data that the caller may not see. `token:` resolves to the whole token as the caller sees it. */
function toText(token: VisibleToken, kind: Reference['kind']): Sensitive<string> {
  return kind === 'token' ? new Sensitive(toTokenJson(token)) : (token.data ?? new Sensitive('null'));
}
