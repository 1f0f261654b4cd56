import type { Change, InputKind } from './kinds/input-kind.ts';

export interface Edit {
  /** The text of the input after the change. `caret` is the caret position in it. */
  readonly text: string;
  readonly caret: number;
  /** The browser's name for the change, such as `insertText`. Empty if the browser filled in the input. */
  readonly inputType: string;
  /** The value before the change. */
  readonly before: string;
}

export interface Settled {
  readonly kept: string;
  readonly shown: string;
  readonly caret: number;
}

/**
 * Applies a change. Returns the new value, the text to show, and the caret position after the same character as before.
 */
export function settleEdit(kind: InputKind, edit: Edit): Settled {
  const change = changeOf(edit);
  const clean = (text: string) => kind.clean(text, change);
  const { text, caret } = change === 'shortened' ? deleteOverSeparator(edit, clean) : edit;
  const kept = clean(text);
  if (change === 'inserted' && !lettersOf(kept).endsWith(lettersOf(text.slice(caret)))) return refuse(kind, edit);
  const shown = kind.show(kept);
  const isAtEnd = caret === text.length;
  return {
    kept,
    shown,
    caret: isAtEnd ? shown.length : positionAfter(shown, kept, clean(text.slice(0, caret)).length),
  };
}

function changeOf({ text, caret, inputType }: Edit): Change {
  if (inputType.startsWith('delete')) return 'shortened';
  const isTyped = inputType === 'insertText' || inputType === 'insertCompositionText';
  return isTyped && caret < text.length ? 'inserted' : 'whole';
}

/** Deletes the character next to a deleted separator, because the separator alone would reappear immediately. */
function deleteOverSeparator(
  { text, caret, inputType, before }: Edit,
  clean: (text: string) => string,
): Pick<Edit, 'text' | 'caret'> {
  if (clean(text) !== before) return { text, caret };
  const isForward = inputType.endsWith('Forward');
  const count = isForward ? text.length - caret : caret;
  for (let more = 1; more <= count; more += 1) {
    const [start, end] = isForward ? [caret, caret + more] : [caret - more, caret];
    const shorter = `${text.slice(0, start)}${text.slice(end)}`;
    if (clean(shorter) !== before) return { text: shorter, caret: start };
  }
  return { text, caret };
}

/** Rejects a character typed in the middle of a full input, because it would silently push out the last one. */
function refuse(kind: InputKind, { text, caret, before }: Edit): Settled {
  const shown = kind.show(before);
  return { kept: before, shown, caret: Math.max(0, caret - Math.max(0, text.length - shown.length)) };
}

function lettersOf(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N}]/gu, '');
}

/** Returns the position in the shown text after `count` characters of the value. */
function positionAfter(shown: string, kept: string, count: number): number {
  let seen = 0;
  for (let index = 0; index < shown.length; index += 1) {
    if (seen >= count) return index;
    if (shown[index] === kept[seen]) seen += 1;
  }
  return shown.length;
}
