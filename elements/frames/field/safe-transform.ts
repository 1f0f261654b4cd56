import type { FieldRules } from '../../protocol/field-options.ts';
import { maskedForPatterns, toRegExp } from './safe-pattern.ts';

type Transform = NonNullable<FieldRules['transform']>;

/**
 * What goes into a token of a text that was typed. The pattern of the page sees no more than others do, and digits stay
 * where they are: a page that could take away the end of a number would be shown the four digits before it.
 */
export function transformText(text: string, { pattern, replacement }: Transform): string {
  const global = toRegExp({ ...pattern, flags: `${pattern.flags}g` });
  let transformed = '';
  let end = 0;
  for (const match of maskedForPatterns(text).matchAll(global)) {
    const [found] = match;
    const isKept = /\d/.test(found);
    transformed +=
      text.slice(end, match.index) + (isKept ? text.slice(match.index, match.index + found.length) : replacement);
    end = match.index + found.length;
  }
  return transformed + text.slice(end);
}

/** A replacement with letters or digits could make a short value long enough to show its end. */
export function isSafeReplacement(replacement: string): boolean {
  return !/[\p{L}\p{N}]/u.test(replacement);
}
