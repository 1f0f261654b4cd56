import { ExpressionError } from './expression-error.ts';
import type { Expression, Template } from './template.ts';

/**
 * Rejects an id template that could put plaintext into the id, which is stored and logged in the clear.
 *
 * An expression is opaque if its value has passed an alias that reveals nothing, or a digest and its encoding.
 * Arguments are literal, so no later filter can bring data back in. An alias may reveal the ends of the value
 * (a BIN, the last four) under conditions that keep the rest hidden:
 * - It comes last. Otherwise a later filter could cut away everything that is not revealed.
 * - Earlier filters only narrow the value. With a character appended, `alias_preserve_length` could reveal the whole
 *   value and randomise only the addition.
 * - It reveals at most twelve characters, which is what `alias_card` shows of a sixteen-digit number.
 * - No second expression reveals anything. Otherwise two could show the two halves.
 */
export function requireOpaqueId(template: Template): void {
  const expressions = template.parts.filter((part) => typeof part !== 'string');
  const revealing = expressions.filter((expression) => !isOpaque(expression));
  const [first, second] = revealing;
  if (first !== undefined && !revealsOnlyEnds(first)) throw new ExpressionError('plaintext-in-id', first.offset);
  if (second !== undefined) throw new ExpressionError('plaintext-in-id', second.offset);
}

const revealedInIdMax = 12;

function isOpaque({ filters }: Expression): boolean {
  return filters.some(({ effect, revealedMax }) => effect === 'encode' || (effect === 'alias' && revealedMax === 0));
}

function revealsOnlyEnds({ filters }: Expression): boolean {
  const alias = filters.at(-1);
  if (alias === undefined || alias.effect !== 'alias' || alias.revealedMax > revealedInIdMax) return false;
  return filters.slice(0, -1).every(({ effect }) => effect === 'select');
}
