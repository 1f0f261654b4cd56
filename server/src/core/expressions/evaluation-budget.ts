import type { RequestBudget } from '../budget/request-budget.ts';
import type { JsonValue } from '../json/json-value.ts';
import { ExpressionError } from './expression-error.ts';
import { isScalar, jsonLengthUpTo, toConcatenatedText } from './value-text.ts';

export interface EvaluationLimits {
  /** What may come out, all results together, and the size of any intermediate text. UTF-16 code units. */
  readonly outputCharactersMax: number;
  /**
   * What all filters together may read. This bounds time, since every filter is linear: the slowest used up the
   * default in 5 ms of processor time (measured).
   */
  readonly workCharactersMax: number;
  /** Of the request that this is part of: what is spent here is spent there too. */
  readonly request: RequestBudget;
}

/**
 * What an evaluation may still spend. One expression is small, but a mask may repeat a large value 64 times and a
 * request may hold many tokens, so whoever evaluates several texts for one caller hands the same budget to all of them.
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
   * For one reference among many: its filters run without a pause, so they may read no more than those of a token. A
   * `card_mask` over half a megabyte took 120 ms (measured).
   */
  forOne(): EvaluationBudget {
    const { outputCharactersMax } = this;
    return new EvaluationBudget(
      this.#request === undefined ? { outputCharactersMax } : { outputCharactersMax, request: this.#request },
    );
  }

  /** Lets a result out as it is. */
  spendValue(value: JsonValue, offset: number): JsonValue {
    this.spendOutput(jsonLengthUpTo(value, this.#outputLeft), offset);
    return value;
  }

  /** Lets a result out as text, refused before the text is built. */
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

  /** Lets out what was built already. */
  spendOutput(characters: number, offset: number): void {
    this.#requireOutput(characters, offset);
    this.#outputLeft -= characters;
  }

  #requireOutput(characters: number, offset: number): void {
    if (characters > this.#outputLeft) throw new ExpressionError('output-too-large', offset);
  }
}
