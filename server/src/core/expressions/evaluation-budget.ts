import { ExpressionError } from './expression-error.ts';

export interface EvaluationLimits {
  /** What may come out, all results together, and the size of any intermediate text. UTF-16 code units. */
  readonly outputCharactersMax: number;
  /** What all filters together may read. Bounds time: filters are linear, so this is a few milliseconds. */
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
    this.#workLeft = limits.workCharactersMax ?? 1_000_000;
  }

  get outputLeft(): number {
    return this.#outputLeft;
  }

  spendOutput(characters: number, offset: number): void {
    if (characters > this.#outputLeft) throw new ExpressionError('output-too-large', offset);
    this.#outputLeft -= characters;
  }

  spendWork(characters: number, offset: number): void {
    if (characters > this.#workLeft) throw new ExpressionError('work-too-large', offset);
    this.#workLeft -= characters;
  }
}
