import type { FieldRules } from '../../protocol/field-options.ts';
import { maskedForPatterns, toRegExp } from './safe-pattern.ts';

type Transform = NonNullable<FieldRules['transform']>;

/**
 * Returns the value that goes into a token. The page's pattern sees the same masked text as other patterns do, and
 * digits cannot be removed. If a page could remove the end of a number, it would see the four digits before it.
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

/**
 * Returns true if a replacement has no letters or digits. They could make a short value long enough to show its end.
 */
export function isSafeReplacement(replacement: string): boolean {
  return !/[\p{L}\p{N}]/u.test(replacement);
}
