import type { Change, InputKind } from './kinds/input-kind.ts';

export interface Edit {
  /** What the input holds after the change, and where its caret is. */
  readonly text: string;
  readonly caret: number;
  /** As the browser names it, such as `insertText`; empty where it filled in the input itself. */
  readonly inputType: string;
  /** What was kept before. */
  readonly before: string;
}

export interface Settled {
  readonly kept: string;
  readonly shown: string;
  readonly caret: number;
}

/** What becomes of a change: what is kept and shown of it, and the caret behind the same character as before. */
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

/** A deleted separator stands for the character next to it: alone it would come back at once. */
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

/** In a full input, a character in the middle would push out the last one without anybody noticing. */
function refuse(kind: InputKind, { text, caret, before }: Edit): Settled {
  const shown = kind.show(before);
  return { kept: before, shown, caret: Math.max(0, caret - Math.max(0, text.length - shown.length)) };
}

function lettersOf(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N}]/gu, '');
}

/** Where a text with separators has shown so many of the characters that are kept. */
function positionAfter(shown: string, kept: string, count: number): number {
  let seen = 0;
  for (let index = 0; index < shown.length; index += 1) {
    if (seen >= count) return index;
    if (shown[index] === kept[seen]) seen += 1;
  }
  return shown.length;
}
