/** What can be said about a value that was typed. */
export interface Judgement {
  readonly isComplete: boolean;
  readonly error?: 'incomplete' | 'invalid' | undefined;
  readonly isMaskSatisfied?: boolean | undefined;
}

/**
 * How a text came about: somebody entered all of it or went on at its end, put a character into the middle, or deleted
 * something. Only of a whole text can be guessed what it means; in the others somebody is still at work.
 */
export type Change = 'whole' | 'inserted' | 'shortened';

/** The rules of one input: what it accepts, how it shows it, and when that is complete. Pure, so that the clock is handed in. */
export interface InputKind {
  /** What is kept of a text, without separators. */
  clean(text: string, change?: Change): string;
  /** What the input shows of what is kept. */
  show(kept: string): string;
  judge(kept: string, now: Date): Judgement;
}

export const incomplete: Judgement = { isComplete: false, error: 'incomplete' };
export const invalid: Judgement = { isComplete: false, error: 'invalid' };
export const complete: Judgement = { isComplete: true };
