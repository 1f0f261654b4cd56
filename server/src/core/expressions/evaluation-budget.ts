import type { JsonValue } from '../json/json-value.ts';
import { ExpressionError } from './expression-error.ts';
import { isScalar, jsonLengthUpTo, toConcatenatedText } from './value-text.ts';

export interface EvaluationLimits {
  /** What may come out, all results together, and the size of any intermediate text. UTF-16 code units. */
  readonly outputCharactersMax: number;
  /**
   * What all filters together may read. This bounds time, since every filter is linear: the slowest, `card_mask`,
   * used up the default in 16 ms of processor time, 36 ms in a process that had just started (measured).
   */
  readonly workCharactersMax: number;
}

/**
 * What an evaluation may still spend. One expression is small, but a mask may repeat a large value 64 times and a
 * request may hold many tokens, so whoever evaluates several texts for one caller hands the same budget to all of them.
 */
export class EvaluationBudget {
  readonly outputCharactersMax: number;
  #outputLeft: number;
  #workLeft: number;

  constructor(limits: Partial<EvaluationLimits> = {}) {
    this.outputCharactersMax = limits.outputCharactersMax ?? 65_536;
    this.#outputLeft = this.outputCharactersMax;
    this.#workLeft = limits.workCharactersMax ?? 131_072;
  }

  /** Lets a result out as it is. */
  spendValue(value: JsonValue, offset: number): JsonValue {
    this.#spendOutput(jsonLengthUpTo(value, this.#outputLeft), offset);
    return value;
  }

  /** Lets a result out as text, refused before the text is built. */
  spendText(value: JsonValue, offset: number): string {
    if (!isScalar(value)) this.#requireOutput(jsonLengthUpTo(value, this.#outputLeft), offset);
    const text = toConcatenatedText(value);
    this.#spendOutput(text.length, offset);
    return text;
  }

  spendWork(characters: number, offset: number): void {
    if (characters > this.#workLeft) throw new ExpressionError('work-too-large', offset);
    this.#workLeft -= characters;
  }

  #spendOutput(characters: number, offset: number): void {
    this.#requireOutput(characters, offset);
    this.#outputLeft -= characters;
  }

  #requireOutput(characters: number, offset: number): void {
    if (characters > this.#outputLeft) throw new ExpressionError('output-too-large', offset);
  }
}
