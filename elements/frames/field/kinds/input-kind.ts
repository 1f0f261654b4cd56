/** The verdict on a typed value. */
export interface Judgement {
  readonly isComplete: boolean;
  readonly error?: 'incomplete' | 'invalid' | undefined;
  readonly isMaskSatisfied?: boolean | undefined;
}

/**
 * The way in which a text changed. `whole` means that it was entered as a whole or extended at its end, `inserted` that
 * a character was typed in the middle, and `shortened` that something was deleted. The text can be interpreted only
 * after a `whole` change. In the other cases the user is still editing.
 */
export type Change = 'whole' | 'inserted' | 'shortened';

/**
 * The rules of one input: the text it accepts, its display form, and its completeness. They are pure, so the time is a
 * parameter.
 */
export interface InputKind {
  /** Returns the value of a text, without separators. */
  clean(text: string, change?: Change): string;
  /** Returns the text that the input shows for a value. */
  show(kept: string): string;
  judge(kept: string, now: Date): Judgement;
}

export const incomplete: Judgement = { isComplete: false, error: 'incomplete' };
export const invalid: Judgement = { isComplete: false, error: 'invalid' };
export const complete: Judgement = { isComplete: true };
