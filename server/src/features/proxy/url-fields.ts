import { invalidField } from '../../core/errors/domain-error.ts';
import type { RequestBudget } from '../../core/budget/request-budget.ts';
import type { ReferenceSource } from '../../core/expressions/reference-evaluation.ts';
import { Sensitive } from '../../core/identity/sensitive.ts';
import { mergeUses, noUses } from '../../core/expressions/reference-uses.ts';
import { mapPiecesSteps } from '../../core/text/text-pieces.ts';
import { inTurns } from '../../platform/waiting/turns.ts';
import { compileText, type ReferenceTemplate } from '../tokens/index.ts';

/** Two opening braces, written plainly or percent-encoded. */
const opening = /(?:\{|%7b){2}/i;
/** Characters allowed literally in a request line and a form. Parsers disagree about fragments and backslashes. */
const plainCharacters = /^[\x21\x22\x24-\x5b\x5d-\x7e]*$/;

/** The maximum number of fields in a form or query with references. Each of them is parsed separately. */
export const fieldsMax = 5_000;

export interface UrlFieldOptions {
  /** The field name in errors. */
  readonly field: string;
  readonly budget: RequestBudget;
  /** True if references can only select members. */
  readonly isSelectOnly: boolean;
  /** True if references are kept as they are written. */
  readonly isPlain?: boolean | undefined;
  /** True for forms and queries, which write a space as `+`. */
  readonly isPlusSpace?: boolean;
}

/** Returns whether a text may contain a reference. If not, nothing has to be parsed. */
export function mayHoldReference(text: string): boolean {
  return opening.test(text);
}

/**
 * Compiles one segment of a path, or one name or value of a query or form. Without a reference it is kept as written.
 * With one, it is decoded, evaluated and encoded again as a whole, so a value cannot break out of it.
 */
export function compileUrlField(text: string, options: UrlFieldOptions): ReferenceTemplate<string> {
  const { field, budget, isSelectOnly, isPlain = false, isPlusSpace = false } = options;
  if (isPlain || !mayHoldReference(text)) {
    if (!plainCharacters.test(text)) throw invalidField(field, 'holds a character that must be percent-encoded');
    return { uses: noUses, render: async () => new Sensitive(text) };
  }
  const decoded = decode(isPlusSpace ? text.replaceAll('+', ' ') : text, field);
  const template = compileText(decoded, { field, budget, isSelectOnly });
  if (template === undefined) return { uses: noUses, render: async () => new Sensitive(text) };
  return {
    uses: template.uses,
    render: async (source) => new Sensitive(await encode((await template.render(source)).reveal(), field)),
  };
}

/** Compiles a query such as `a=1&b={{ id }}`, each name and each value separately. */
export function compileQuery(text: string, given: Omit<UrlFieldOptions, 'isPlusSpace'>): ReferenceTemplate<string> {
  const options = { ...given, isPlusSpace: true };
  const parts = text.split('&', fieldsMax + 1);
  if (parts.length > fieldsMax) throw invalidField(given.field, `must have at most ${fieldsMax} fields`);
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
      for (const template of templates) texts.push((await template.render(source)).reveal());
      return new Sensitive(texts.join(separator));
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

async function encode(text: string, field: string): Promise<string> {
  if (!text.isWellFormed()) throw invalidField(field, 'would contain a value that cannot be encoded');
  return inTurns(mapPiecesSteps(text, encodeURIComponent));
}
