import { ExpressionError } from './expression-error.ts';
import { isLongerThan } from '../text/code-points.ts';
import { tokenLimits } from '../token-limits.ts';
import { type CompileOptions, compileTemplate, type Template } from './template.ts';

/**
 * A cache of compiled templates that evicts the least recently used first. Tokens of one type share their expressions,
 * so reads hardly ever compile. It is bounded by count and by the length of cached texts. Rejected texts are not
 * cached.
 */
export class TemplateCache {
  readonly #entriesMax: number;
  readonly #templates = new Map<string, Template>();

  constructor(entriesMax = 1_000) {
    this.#entriesMax = entriesMax;
  }

  get size(): number {
    return this.#templates.size;
  }

  compile(text: string, options: CompileOptions = {}): Template {
    const { lengthMax = tokenLimits.expressionLengthMax } = options;
    if (isLongerThan(text, lengthMax)) throw new ExpressionError('text-too-long', lengthMax);

    const template = this.#templates.get(text) ?? compileTemplate(text, options);
    if (isLongerThan(text, tokenLimits.expressionLengthMax)) return template;
    // A Map keeps insertion order, so reinserting an entry makes it the newest.
    this.#templates.delete(text);
    this.#templates.set(text, template);
    if (this.#templates.size > this.#entriesMax) this.#forgetOldest();
    return template;
  }

  #forgetOldest(): void {
    for (const text of this.#templates.keys()) {
      this.#templates.delete(text);
      return;
    }
  }
}
