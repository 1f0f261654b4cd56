import type { JsonValue } from '../json/json-value.ts';
import { EvaluationBudget } from './evaluation-budget.ts';
import { ExpressionError } from './expression-error.ts';
import type { ExpressionTools } from './expression-tools.ts';
import { applyFilters, type FilterChain, parseFilterChain } from './filter-chain.ts';
import { findValue, parsePath, type Scope, type ScopePath } from './scope-path.ts';
import { isLongerThan } from '../text/code-points.ts';
import { tokenLimits } from '../token-limits.ts';
import { expressionEnd, requireExpressionLength, TextCursor } from './text-cursor.ts';

export interface Expression {
  readonly offset: number;
  readonly path: ScopePath;
  readonly filters: FilterChain;
}

/**
 * Literal text and expressions, in order. Values never become part of a template, so a value is never read as an
 * expression.
 */
export interface Template {
  readonly parts: readonly (string | Expression)[];
  readonly expressionCount: number;
}

export interface CompileOptions {
  /** The maximum length of the whole text. The default is that of a single expression. */
  readonly lengthMax?: number;
}

/**
 * Checks and parses a text. An expression that is not closed is rejected. Treated as literal text, it would reveal no
 * data, but a fingerprint derived from it would be the same for every token.
 */
export function compileTemplate(text: string, options: CompileOptions = {}): Template {
  const { lengthMax = tokenLimits.expressionLengthMax } = options;
  if (isLongerThan(text, lengthMax)) throw new ExpressionError('text-too-long', lengthMax);

  const parts: (string | Expression)[] = [];
  let expressionCount = 0;
  let at = 0;
  for (let open = text.indexOf('{{'); open !== -1; open = text.indexOf('{{', at)) {
    if (expressionCount === tokenLimits.expressionsMax) throw new ExpressionError('too-many-expressions', open);
    if (open > at) parts.push(text.slice(at, open));
    const cursor = new TextCursor(text, open + 2, expressionEnd(text, open));
    parts.push(parseExpression(cursor));
    requireExpressionLength(text, open, cursor.at);
    expressionCount += 1;
    at = cursor.at;
  }
  if (at < text.length || text === '') parts.push(text.slice(at));
  return { parts, expressionCount };
}

/**
 * Evaluates a template. A text that is exactly one expression yields the value itself; any other text yields a string.
 */
export function evaluateTemplate(
  template: Template,
  scope: Scope,
  tools: ExpressionTools,
  budget = new EvaluationBudget(),
): JsonValue {
  const [first = ''] = template.parts;
  if (template.parts.length > 1 || typeof first === 'string') {
    return evaluateTemplateAsText(template, scope, tools, budget);
  }
  const value = applyFilters(findValue(scope, first.path), first.filters, tools, budget);
  return budget.spendValue(value, first.offset);
}

/**
 * Evaluates a template to a string. Null is empty, objects and arrays are JSON, and numbers keep their original text.
 */
export function evaluateTemplateAsText(
  template: Template,
  scope: Scope,
  tools: ExpressionTools,
  budget = new EvaluationBudget(),
): string {
  return template.parts
    .map((part) => {
      if (typeof part === 'string') return budget.spendText(part, 0);
      const value = applyFilters(findValue(scope, part.path), part.filters, tools, budget);
      return budget.spendText(value, part.offset);
    })
    .join('');
}

function parseExpression(cursor: TextCursor): Expression {
  cursor.skipSpace();
  const offset = cursor.at;
  return { offset, path: parsePath(cursor), filters: parseFilterChain(cursor) };
}

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
