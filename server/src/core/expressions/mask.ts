import { isJsonObject, type JsonValue } from '../json/json-value.ts';
import { EvaluationBudget } from './evaluation-budget.ts';
import { ExpressionError, type MaskPath } from './expression-error.ts';
import { expressionsPerTokenMax, maskDepthMax, maskNodesMax } from './expression-limits.ts';
import type { ExpressionTools } from './expression-tools.ts';
import type { Scope } from './scope-path.ts';
import { compileTemplate, evaluateTemplate, type Template } from './template.ts';
import type { TemplateCache } from './template-cache.ts';

/** A mask whose every string has been compiled. */
export interface Mask {
  readonly root: MaskNode;
  readonly expressionCount: number;
}

type MaskNode =
  | { readonly kind: 'template'; readonly template: Template; readonly path: MaskPath }
  | { readonly kind: 'constant'; readonly value: JsonValue }
  | { readonly kind: 'list'; readonly items: readonly MaskNode[] }
  | { readonly kind: 'object'; readonly members: readonly (readonly [string, MaskNode])[] };

/** Checks all of a mask up front: what is stored can be evaluated later, whatever the data. */
export function compileMask(mask: JsonValue, cache?: TemplateCache): Mask {
  const compiler = new MaskCompiler(cache);
  const root = compiler.compile(mask, []);
  return { root, expressionCount: compiler.expressionCount };
}

/** String leaves are evaluated as templates; numbers, booleans and null stand for themselves. */
export function evaluateMask(
  mask: Mask,
  scope: Scope,
  tools: ExpressionTools,
  budget = new EvaluationBudget(),
): JsonValue {
  const evaluate = (node: MaskNode): JsonValue => {
    if (node.kind === 'constant') return node.value;
    if (node.kind === 'list') return node.items.map(evaluate);
    // Unlike an assignment, this makes a member named `__proto__` an ordinary one.
    if (node.kind === 'object') return Object.fromEntries(node.members.map(([key, member]) => [key, evaluate(member)]));
    return placed(node.path, () => evaluateTemplate(node.template, scope, tools, budget));
  };
  return evaluate(mask.root);
}

class MaskCompiler {
  readonly #cache: TemplateCache | undefined;
  #nodeCount = 0;
  expressionCount = 0;

  constructor(cache: TemplateCache | undefined) {
    this.#cache = cache;
  }

  compile(mask: JsonValue, path: MaskPath): MaskNode {
    this.#nodeCount += 1;
    if (this.#nodeCount > maskNodesMax) throw new ExpressionError('mask-too-large', 0, path);
    if (path.length > maskDepthMax) throw new ExpressionError('mask-too-deep', 0, path);

    if (typeof mask === 'string') return this.#compileLeaf(mask, path);
    if (Array.isArray(mask)) {
      return { kind: 'list', items: mask.map((item: JsonValue, index) => this.compile(item, [...path, index])) };
    }
    if (!isJsonObject(mask)) return { kind: 'constant', value: mask };
    return {
      kind: 'object',
      members: Object.entries(mask).map(([key, member]) => [key, this.compile(member, [...path, key])]),
    };
  }

  #compileLeaf(text: string, path: MaskPath): MaskNode {
    const template = placed(path, () => this.#cache?.compile(text) ?? compileTemplate(text));
    this.expressionCount += template.expressionCount;
    if (this.expressionCount > expressionsPerTokenMax) throw new ExpressionError('too-many-expressions', 0, path);
    return { kind: 'template', template, path };
  }
}

function placed<Result>(path: MaskPath, action: () => Result): Result {
  try {
    return action();
  } catch (error) {
    throw error instanceof ExpressionError ? error.within(path) : error;
  }
}
