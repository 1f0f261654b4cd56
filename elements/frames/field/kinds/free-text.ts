import type { FieldRules, MaskSlot } from '../../../protocol/field-options.ts';
import { maskedForPatterns, toRegExp } from '../safe-pattern.ts';
import { complete, incomplete, type InputKind, invalid } from './input-kind.ts';

const lengthDefault = 1_000;

export function createFreeTextKind({ mask, validation, maxLength = lengthDefault }: FieldRules): InputKind {
  const slots = mask?.map(toSlot);
  const pattern = validation === undefined ? undefined : toRegExp(validation);
  return {
    clean: (text) => (slots === undefined ? text : fit(text, slots)).slice(0, maxLength),
    show: (kept) => kept,
    judge: (kept) => {
      const isMaskSatisfied = slots === undefined || kept.length === slots.length;
      if (pattern !== undefined && !pattern.test(maskedForPatterns(kept))) return { ...invalid, isMaskSatisfied };
      return { ...(isMaskSatisfied || kept === '' ? complete : incomplete), isMaskSatisfied };
    },
  };
}

type Slot = { readonly fixed: string } | { readonly accepts: RegExp };

/** A character, and the one that replaces it when a pattern from the page is matched. */
interface Character {
  readonly character: string;
  readonly seen: string;
}

function toSlot(slot: MaskSlot): Slot {
  return typeof slot === 'string' ? { fixed: slot } : { accepts: toRegExp(slot) };
}

/** Fills the slots with matching characters, and adds fixed characters if something follows them. */
function fit(text: string, slots: readonly Slot[]): string {
  // Masking depends on the position in the original text, so it happens before characters that do not fit are dropped.
  const seen = [...maskedForPatterns(text)];
  const characters = [...text].map((character, index): Character => ({ character, seen: seen[index] ?? '' }));
  let fitted = '';
  let pending = '';
  for (const slot of slots) {
    if ('fixed' in slot) {
      if (characters[0]?.character === slot.fixed) characters.shift();
      pending += slot.fixed;
      continue;
    }
    const next = takeFitting(characters, slot.accepts);
    if (next === undefined) return fitted;
    fitted += pending + next;
    pending = '';
  }
  return fitted + pending;
}

function takeFitting(characters: Character[], accepts: RegExp): string | undefined {
  for (let next = characters.shift(); next !== undefined; next = characters.shift()) {
    if (accepts.test(next.seen)) return next.character;
  }
  return undefined;
}
