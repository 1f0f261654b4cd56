import { Sensitive } from '../identity/sensitive.ts';
import { jsonTextSteps } from '../json/json-text.ts';
import type { JsonValue } from '../json/json-value.ts';
import type { Steps } from '../steps/steps.ts';
import type { EvaluationBudget } from './evaluation-budget.ts';
import { ExpressionError } from './expression-error.ts';
import type { ExpressionTools } from './expression-tools.ts';
import { applyFilters } from './filter-chain.ts';
import type { Reference, ReferenceText } from './reference-text.ts';
import { isScalar, toConcatenatedText } from './value-text.ts';

/** What references are replaced by: the data, or for the kind `token` the whole token. */
export interface ReferenceSource {
  /** As JSON text; undefined where the token was not found. */
  textOf(reference: Reference): Sensitive<string> | undefined;
  /** The same as a value. Asked for often and parsed once. */
  valueOf(reference: Reference): Steps<Sensitive<JsonValue>>;
  readonly tools: ExpressionTools;
  /** Shared by all texts of a request: a short reference can expand to a long value many times over. */
  readonly budget: EvaluationBudget;
}

/** JSON text: of the value itself where the text is one reference and nothing else, otherwise of a string. */
export function* referencesJsonSteps(text: ReferenceText, source: ReferenceSource): Steps<Sensitive<string>> {
  const [first = ''] = text.segments;
  if (text.segments.length > 1 || typeof first === 'string') {
    return new Sensitive(JSON.stringify((yield* referencesTextSteps(text, source)).reveal()));
  }
  if (first.filters.length === 0) {
    // A value that is inserted unchanged is neither parsed nor serialized again.
    const json = requireFound(source.textOf(first), first);
    source.budget.spendOutput(json.reveal().length, first.offset);
    return json;
  }
  const json = yield* jsonTextSteps((yield* evaluateSteps(first, source)).reveal());
  source.budget.spendOutput(json.length, first.offset);
  return new Sensitive(json);
}

/**
 * Always a string. `encode` is applied to inserted values and not to the text around them, as URLs require; inserted
 * text is not searched for references again.
 */
export function* referencesTextSteps(
  text: ReferenceText,
  source: ReferenceSource,
  encode: (text: string) => string = (plain) => plain,
): Steps<Sensitive<string>> {
  const pieces: string[] = [];
  for (const segment of text.segments) {
    if (typeof segment === 'string') {
      pieces.push(segment);
      continue;
    }
    const value = (yield* evaluateSteps(segment, source)).reveal();
    const plain = isScalar(value) ? toConcatenatedText(value) : yield* jsonTextSteps(value);
    source.budget.spendOutput(plain.length, segment.offset);
    pieces.push(encode(plain));
    yield;
  }
  return new Sensitive(pieces.join(''));
}

function* evaluateSteps(reference: Reference, source: ReferenceSource): Steps<Sensitive<JsonValue>> {
  requireFound(source.textOf(reference), reference);
  const value = yield* source.valueOf(reference);
  return new Sensitive(applyFilters(value.reveal(), reference.filters, source.tools, source.budget.forOne()));
}

function requireFound(json: Sensitive<string> | undefined, { offset }: Reference): Sensitive<string> {
  if (json === undefined) throw new ExpressionError('unresolved-reference', offset);
  return json;
}
