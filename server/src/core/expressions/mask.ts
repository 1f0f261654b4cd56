import { isJsonObject, type JsonValue } from '../json/json-value.ts';
import { EvaluationBudget } from './evaluation-budget.ts';
import { ExpressionError, type MaskPath } from './expression-error.ts';
import { tokenLimits } from '../token-limits.ts';
import type { ExpressionTools } from './expression-tools.ts';
import type { Scope } from './scope-path.ts';
import { compileTemplate, evaluateTemplate, type Template, type TemplateCache } from './template.ts';

/** A mask in which every string has been compiled. */
export interface Mask {
  readonly root: MaskNode;
  readonly expressionCount: number;
  /**
   * True for the default mask of a type. It was not written for this value, so it hides short values completely and
   * omits absent members.
   */
  readonly isDefault: boolean;
}

type MaskNode =
  | { readonly kind: 'template'; readonly template: Template; readonly path: MaskPath }
  | { readonly kind: 'constant'; readonly value: JsonValue }
  | { readonly kind: 'list'; readonly items: readonly MaskNode[] }
  | { readonly kind: 'object'; readonly members: readonly (readonly [string, MaskNode])[] };

/** Checks the whole mask up front, so that a stored mask can be evaluated later with any data. */
export function compileMask(mask: JsonValue, cache?: TemplateCache): Mask {
  const compiler = new MaskCompiler(cache);
  const root = compiler.compile(mask, []);
  return { root, expressionCount: compiler.expressionCount, isDefault: false };
}

/** Compiles the default mask of a token type. */
export function compileDefaultMask(mask: JsonValue, cache?: TemplateCache): Mask {
  return { ...compileMask(mask, cache), isDefault: true };
}

/** Evaluates string leaves as templates. Numbers, booleans and null are kept. */
export function evaluateMask(
  mask: Mask,
  scope: Scope,
  tools: ExpressionTools,
  budget = new EvaluationBudget(),
): JsonValue {
  const maskTools = mask.isDefault ? { ...tools, hidesShortValues: true } : tools;
  const evaluate = (node: MaskNode): JsonValue => {
    if (node.kind === 'constant') return node.value;
    if (node.kind === 'list') return node.items.map(evaluate);
    // Unlike an assignment, `Object.fromEntries` creates an ordinary member even if it is named `__proto__`.
    if (node.kind === 'object') {
      const members = node.members.map(([key, member]) => [key, evaluate(member)] as const);
      return Object.fromEntries(mask.isDefault ? members.filter(([, value]) => value !== null) : members);
    }
    return placed(node.path, () => evaluateTemplate(node.template, scope, maskTools, budget));
  };
  return evaluate(mask.root);
}

/** Returns every template in a mask. */
export function templatesOf({ root }: Mask): Template[] {
  const collect = (node: MaskNode): Template[] => {
    if (node.kind === 'template') return [node.template];
    if (node.kind === 'list') return node.items.flatMap(collect);
    return node.kind === 'object' ? node.members.flatMap(([, member]) => collect(member)) : [];
  };
  return collect(root);
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
    this.#requireRoom(0, path);
    if (path.length > tokenLimits.maskDepthMax) throw new ExpressionError('mask-too-deep', 0, path);

    if (typeof mask === 'string') return this.#compileLeaf(mask, path);
    if (Array.isArray(mask)) {
      this.#requireRoom(mask.length, path);
      return { kind: 'list', items: mask.map((item: JsonValue, index) => this.compile(item, [...path, index])) };
    }
    if (!isJsonObject(mask)) return { kind: 'constant', value: mask };
    const keys = Object.keys(mask);
    this.#requireRoom(keys.length, path);
    return {
      kind: 'object',
      members: keys.map((key) => [key, this.compile(mask[key] ?? null, [...path, key])]),
    };
  }

  /**
   * Rejects a mask with too many values. It is called before iterating over the members, because there may be a hundred
   * thousand of them.
   */
  #requireRoom(memberCount: number, path: MaskPath): void {
    if (this.#nodeCount + memberCount > tokenLimits.maskValuesMax) throw new ExpressionError('mask-too-large', 0, path);
  }

  #compileLeaf(text: string, path: MaskPath): MaskNode {
    const template = placed(path, () => this.#cache?.compile(text) ?? compileTemplate(text));
    this.expressionCount += template.expressionCount;
    if (this.expressionCount > tokenLimits.expressionsMax) throw new ExpressionError('too-many-expressions', 0, path);
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
