import type { RequestBudget } from '../budget/request-budget.ts';
import type { JsonValue } from '../json/json-value.ts';
import { ExpressionError } from './expression-error.ts';
import { isScalar, jsonLengthUpTo, toConcatenatedText } from '../json/json-text.ts';

export interface EvaluationLimits {
  /** The limit on the total size of results, and on any intermediate text, in UTF-16 code units. */
  readonly outputCharactersMax: number;
  /**
   * The number of characters that all filters may read in total. This bounds the time, because every filter is linear:
   * the slowest one exhausted the default in 5 ms of processor time (measured).
   */
  readonly workCharactersMax: number;
  /** The budget of the surrounding request. Characters spent here are also deducted from that budget. */
  readonly request: RequestBudget;
}

/**
 * The budget of an evaluation. One expression is small, but a mask may repeat a large value 64 times and a request may
 * contain many tokens. Code that evaluates several texts for one caller therefore uses one budget for all of them.
 */
export class EvaluationBudget {
  readonly outputCharactersMax: number;
  #outputLeft: number;
  #workLeft: number;
  readonly #request: RequestBudget | undefined;

  constructor(limits: Partial<EvaluationLimits> = {}) {
    this.outputCharactersMax = limits.outputCharactersMax ?? 65_536;
    this.#outputLeft = this.outputCharactersMax;
    this.#workLeft = limits.workCharactersMax ?? 131_072;
    this.#request = limits.request;
  }

  /**
   * Returns a budget for one reference among many. Its filters run without pausing, so they may read no more than the
   * filters of a single token. A `card_mask` over half a megabyte took 120 ms (measured).
   */
  forOne(): EvaluationBudget {
    const { outputCharactersMax } = this;
    return new EvaluationBudget(
      this.#request === undefined ? { outputCharactersMax } : { outputCharactersMax, request: this.#request },
    );
  }

  /** Accounts for a result that is returned unchanged. */
  spendValue(value: JsonValue, offset: number): JsonValue {
    this.spendOutput(jsonLengthUpTo(value, this.#outputLeft), offset);
    return value;
  }

  /** Accounts for a result returned as text, and rejects it before the text is built. */
  spendText(value: JsonValue, offset: number): string {
    if (!isScalar(value)) this.#requireOutput(jsonLengthUpTo(value, this.#outputLeft), offset);
    const text = toConcatenatedText(value);
    this.spendOutput(text.length, offset);
    return text;
  }

  spendWork(characters: number, offset: number): void {
    if (characters > this.#workLeft) throw new ExpressionError('work-too-large', offset);
    this.#request?.spend('evaluatedCharacters', characters);
    this.#workLeft -= characters;
  }

  /** Accounts for a text that has already been built. */
  spendOutput(characters: number, offset: number): void {
    this.#requireOutput(characters, offset);
    this.#outputLeft -= characters;
  }

  #requireOutput(characters: number, offset: number): void {
    if (characters > this.#outputLeft) throw new ExpressionError('output-too-large', offset);
  }
}
