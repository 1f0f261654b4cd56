import { invalidField } from '../../core/errors/domain-error.ts';
import type { RequestBudget } from '../../core/budget/request-budget.ts';
import type { ReferenceSource } from '../../core/expressions/reference-evaluation.ts';
import { mergeUses, noUses } from '../../core/expressions/reference-uses.ts';
import { compileText, type ReferenceTemplate } from '../tokens/index.ts';

/** Two opening braces, written plainly or percent-encoded. */
const opening = /(?:\{|%7b){2}/i;
/** What a request line and a form can hold as it is. A fragment and a backslash mean other things to other readers. */
const plainCharacters = /^[\x21\x22\x24-\x5b\x5d-\x7e]*$/;

/** Of a form or a query that holds references: each is taken apart by itself. */
export const fieldsMax = 5_000;

export interface UrlFieldOptions {
  /** What an error calls the text. */
  readonly field: string;
  readonly budget: RequestBudget;
  /** Forms and queries write a space as `+`. */
  readonly isPlusSpace?: boolean;
}

/** Whether there can be a reference in it. Where there cannot, nothing has to be taken apart. */
export function mayHoldReference(text: string): boolean {
  return opening.test(text);
}

/**
 * One segment of a path, or one name or value of a query or form. Without a reference it stays as it was written; with
 * one it is decoded, evaluated and encoded again as a whole, so nothing that a value holds can end it.
 */
export function compileUrlField(text: string, options: UrlFieldOptions): ReferenceTemplate<string> {
  const { field, budget, isPlusSpace = false } = options;
  if (!mayHoldReference(text)) {
    if (!plainCharacters.test(text)) throw invalidField(field, 'holds a character that must be percent-encoded');
    return { uses: noUses, render: async () => text };
  }
  const template = compileText(decode(isPlusSpace ? text.replaceAll('+', ' ') : text, field), { field, budget });
  if (template === undefined) return { uses: noUses, render: async () => text };
  return { uses: template.uses, render: async (source) => encode(await template.render(source), field) };
}

/** `a=1&b={{ id }}`: each name and each value by itself. */
export function compileQuery(
  text: string,
  given: Pick<UrlFieldOptions, 'field' | 'budget'>,
): ReferenceTemplate<string> {
  const options = { ...given, isPlusSpace: true };
  const parts = text.split('&', fieldsMax + 1);
  if (parts.length > fieldsMax) throw invalidField(given.field, `has more than ${fieldsMax} fields`);
  const pairs = parts.map((pair) => {
    const equals = pair.indexOf('=');
    const sides = equals < 0 ? [pair] : [pair.slice(0, equals), pair.slice(equals + 1)];
    return joinTemplates(
      sides.map((side) => compileUrlField(side, options)),
      '=',
    );
  });
  return joinTemplates(pairs, '&');
}

export function joinTemplates(
  templates: readonly ReferenceTemplate<string>[],
  separator: string,
): ReferenceTemplate<string> {
  return {
    uses: mergeUses(templates.map(({ uses }) => uses)),
    async render(source: ReferenceSource) {
      const texts: string[] = [];
      for (const template of templates) texts.push(await template.render(source));
      return texts.join(separator);
    },
  };
}

function decode(text: string, field: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalidField(field, 'is not percent-encoded correctly');
  }
}

function encode(text: string, field: string): string {
  if (!text.isWellFormed()) throw invalidField(field, 'would hold a value that has no encoding');
  return encodeURIComponent(text);
}
