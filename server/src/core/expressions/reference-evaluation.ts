import { Sensitive } from '../identity/sensitive.ts';
import { isScalar, jsonTextSteps, toConcatenatedText } from '../json/json-text.ts';
import type { JsonValue } from '../json/json-value.ts';
import type { Steps } from '../steps/steps.ts';
import type { EvaluationBudget } from './evaluation-budget.ts';
import { ExpressionError } from './expression-error.ts';
import type { ExpressionTools } from './expression-tools.ts';
import { applyFilters } from './filter-chain.ts';
import type { Reference, ReferenceText } from './reference-text.ts';

/** The source of the values that replace references: the data or, for the kind `token`, the whole token. */
export interface ReferenceSource {
  /** Returns JSON text; undefined if the token was not found. */
  textOf(reference: Reference): Sensitive<string> | undefined;
  /** Returns the parsed value. It is parsed only once, however often it is requested. */
  valueOf(reference: Reference): Steps<Sensitive<JsonValue>>;
  readonly tools: ExpressionTools;
  /**
   * The budget shared by all texts of a request, because a short reference can expand to a long value many times over.
   */
  readonly budget: EvaluationBudget;
}

/**
 * Returns JSON text: the inserted value itself if the text is a single reference and nothing else, otherwise a string.
 */
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

/** Encodes an inserted value, which may be as long as the largest token. */
export type Encode = (text: string) => Steps<string>;

/**
 * Returns a string. `encode` is applied to inserted values and not to the text around them, as URLs require. Inserted
 * text is not searched for references again.
 */
export function* referencesTextSteps(
  text: ReferenceText,
  source: ReferenceSource,
  encode?: Encode,
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
    pieces.push(encode === undefined ? plain : yield* encode(plain));
  }
  return new Sensitive(pieces.join(''));
}

function* evaluateSteps(reference: Reference, source: ReferenceSource): Steps<Sensitive<JsonValue>> {
  requireFound(source.textOf(reference), reference);
  const value = yield* source.valueOf(reference);
  // A filter over a long value takes milliseconds, and a request may have many references.
  yield;
  return new Sensitive(applyFilters(value.reveal(), reference.filters, source.tools, source.budget.forOne()));
}

function requireFound(json: Sensitive<string> | undefined, { offset }: Reference): Sensitive<string> {
  if (json === undefined) throw new ExpressionError('unresolved-reference', offset);
  return json;
}
