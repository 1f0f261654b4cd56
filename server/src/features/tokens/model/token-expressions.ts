import { LRUCache } from 'lru-cache';
import type { RequestBudget } from '../../../core/budget/request-budget.ts';
import { EvaluationBudget } from '../../../core/expressions/evaluation-budget.ts';
import { requireOpaqueId } from '../../../core/expressions/id-template.ts';
import { compileDefaultMask, compileMask, evaluateMask, type Mask } from '../../../core/expressions/mask.ts';
import {
  evaluateTemplate,
  evaluateTemplateAsText,
  type Template,
  TemplateCache,
} from '../../../core/expressions/template.ts';
import { showsAllSteps } from '../../../core/expressions/whole-view.ts';
import {
  isScalar,
  jsonLengthUpTo,
  jsonTextSteps,
  toConcatenatedText,
  toJsonText,
} from '../../../core/json/json-text.ts';
import { Sensitive } from '../../../core/identity/sensitive.ts';
import { storedDepthMax } from '../../../core/json/json-limits.ts';
import { ExactNumber, type JsonValue } from '../../../core/json/json-value.ts';
import { parseJson } from '../../../core/json/parse-json.ts';
import { tokenLimits } from '../../../core/token-limits.ts';
import type { TokenType } from '../../../core/token-types/token-type.ts';
import { expressionTools } from '../../../platform/keyring/expression-tools.ts';
import { inTurns } from '../../../platform/waiting/turns.ts';
import { invalidAt, namingField } from './token-request.ts';
import { showTogetherAll } from './shown-together.ts';
import type { ExpressionScope } from './token.ts';
import { isStorable } from '../../../core/text/code-points.ts';

/** The expressions of a token as given by the caller. Undefined if the default of the type applies. */
export interface ExpressionTexts {
  readonly mask: JsonValue | undefined;
  readonly searchIndexes: readonly string[] | undefined;
  readonly fingerprintExpression: string | undefined;
}

export interface CompiledExpressions {
  /** Undefined if masked views contain no data. */
  readonly mask: Mask | undefined;
  readonly searchIndexes: readonly Template[];
  readonly fingerprint: Template;
  /** True if the fingerprint is computed from all of the data as JSON text, which may be as long as a request body. */
  readonly isWholeFingerprint: boolean;
}

const { searchIndexesMax, fingerprintExpressionLengthMax, expressionsMax, maskBytesMax } = tokenLimits;
/** The default fingerprint expression of types that can hold any data. */
const wholeData = '{{ data | stringify }}';

/** The cache is shared by all tokens, because most use the expressions of their type. */
const templates = new TemplateCache(5_000);
/** The key is the text of a supplied mask or the name of a type. A mask is JSON, which a type name never is. */
const masks = new LRUCache<string, { readonly mask: Mask | undefined }>({
  max: 5_000,
  // Masks that earlier versions stored can be megabytes long, so a limit on their number would not bound the memory.
  maxSize: 4 * 1024 * 1024,
  sizeCalculation: (_mask, text) => text.length,
});

/** Checks every expression of a token before anything is evaluated or stored. */
export function compileExpressions(path: string, type: TokenType, texts: ExpressionTexts): CompiledExpressions {
  const indexTexts = texts.searchIndexes ?? type.defaultSearchIndexes;
  if (indexTexts.length > searchIndexesMax) {
    throw invalidAt(path, 'search_indexes', `must have at most ${searchIndexesMax} expressions`);
  }
  const compiled = {
    mask: namingField(path, 'mask', () => toMask(texts.mask, type)),
    searchIndexes: indexTexts.map((text, index) => compile(path, `search_indexes.${index}`, text)),
    fingerprint: compile(
      path,
      'fingerprint_expression',
      texts.fingerprintExpression ?? type.defaultFingerprintExpression,
      fingerprintExpressionLengthMax,
    ),
    isWholeFingerprint: texts.fingerprintExpression === undefined && type.defaultFingerprintExpression === wholeData,
  };
  const count = [compiled.mask, compiled.fingerprint, ...compiled.searchIndexes].reduce(
    (sum, part) => sum + (part?.expressionCount ?? 0),
    0,
  );
  if (count > expressionsMax) {
    throw invalidAt(
      path,
      'mask',
      `mask, search_indexes and fingerprint_expression have more than ${expressionsMax} expressions together`,
    );
  }
  return compiled;
}

/** Rejects a large mask. Only masks in requests are checked, because earlier versions stored larger ones. */
export function requireMaskSize(path: string, mask: JsonValue | undefined): void {
  // The estimate is at most twice the length. It avoids serializing a mask of several megabytes.
  const isSmall =
    mask === undefined ||
    (jsonLengthUpTo(mask, 2 * maskBytesMax) <= 2 * maskBytesMax && Buffer.byteLength(toJsonText(mask)) <= maskBytesMax);
  if (!isSmall) throw invalidAt(path, 'mask', `must have at most ${maskBytesMax} bytes as JSON`);
}

/**
 * Rejects a fingerprint expression that does not read the data, because every token with this expression would count as
 * a duplicate of every other. Only expressions in requests are checked. A stored token with such an expression stays
 * usable.
 */
export function requireReadsData(path: string, fingerprintExpression: string | null | undefined): void {
  if (fingerprintExpression === undefined || fingerprintExpression === null) return;
  const { parts } = compile(path, 'fingerprint_expression', fingerprintExpression, fingerprintExpressionLengthMax);
  if (parts.some((part) => typeof part !== 'string' && part.path[0] === 'data')) return;
  throw invalidAt(path, 'fingerprint_expression', 'must read data, such as {{ data }} or {{ data.number }}');
}

/** Returns the text that is fingerprinted. It is empty if the expressions find nothing that distinguishes tokens. */
export async function fingerprintContent(
  path: string,
  expressions: CompiledExpressions,
  scope: ExpressionScope,
  request?: RequestBudget,
): Promise<Sensitive<string>> {
  const data = scope.data.reveal();
  if (expressions.isWholeFingerprint) {
    return new Sensitive(isScalar(data) ? toConcatenatedText(data) : await inTurns(jsonTextSteps(data)));
  }
  const { metadata } = scope;
  const text = namingField(path, 'fingerprint_expression', () =>
    evaluateTemplateAsText(expressions.fingerprint, { data, metadata }, expressionTools, budgetWithin(request)),
  );
  return new Sensitive(text);
}

/** Returns one text for each search index. No text is empty. */
export function searchIndexValues(
  path: string,
  expressions: CompiledExpressions,
  scope: ExpressionScope,
  request?: RequestBudget,
): Sensitive<string>[] {
  const budget = budgetWithin(request);
  return expressions.searchIndexes.map((template, index) => {
    const field = `search_indexes.${index}`;
    const value = namingField(path, field, () =>
      evaluateTemplate(template, { data: scope.data.reveal() }, expressionTools, budget),
    );
    const text = value instanceof ExactNumber ? value.text : value;
    if (text === null || text === '' || typeof text === 'object')
      throw invalidAt(path, field, 'must yield one value that is not empty');
    return new Sensitive(String(text));
  });
}

/**
 * Returns the mask of a stored token, or undefined if it has none. It is compiled once for all tokens that share it.
 */
export function findMask(token: { readonly mask: string | null }, type: TokenType): Mask | undefined {
  const key = token.mask ?? type.name;
  const known = masks.get(key);
  if (known !== undefined) return known.mask;
  const mask = toMask(token.mask === null ? undefined : parseJson(token.mask, { depthMax: storedDepthMax }), type);
  masks.set(key, { mask });
  return mask;
}

/** Compiles a mask. Undefined selects the mask of the type, and null means no mask. */
function toMask(supplied: JsonValue | undefined, { defaultMask }: TokenType): Mask | undefined {
  if (supplied === null) return undefined;
  if (supplied !== undefined) return compileMask(supplied, templates);
  return defaultMask === undefined ? undefined : compileDefaultMask(defaultMask, templates);
}

/** The part of some data that a masked view shows. */
export interface MaskedData {
  /** JSON text. Undefined if the view shows nothing. */
  readonly masked: Sensitive<string> | undefined;
  /**
   * True if the view shows everything, by itself or together with the details. The default mask of a type never does.
   */
  readonly isMaskWhole: boolean;
}

/** Evaluates the mask before anything is stored, so that every stored token can be shown. */
export async function maskData(
  { path, type, data }: { path: string; type: TokenType; data: Sensitive<JsonValue> },
  { mask }: CompiledExpressions,
  request?: RequestBudget,
): Promise<MaskedData> {
  if (mask === undefined) return { masked: undefined, isMaskWhole: false };
  const shown = namingField(path, 'mask', () => evaluateTokenMask(mask, data, request));
  const isMaskWhole =
    !mask.isDefault &&
    ((await inTurns(showsAllSteps(shown.reveal(), data.reveal(), type.essentialMember, request))) ||
      showTogetherAll({ type, mask }, data, request));
  return { masked: new Sensitive(toJsonText(shown.reveal())), isMaskWhole };
}

export function evaluateTokenMask(
  mask: Mask,
  data: Sensitive<JsonValue>,
  request?: RequestBudget,
): Sensitive<JsonValue> {
  return new Sensitive(evaluateMask(mask, { data: data.reveal() }, expressionTools, budgetWithin(request)));
}

/**
 * Returns a separate budget within that of the request. A token's mask, search indexes and fingerprint each get one.
 */
function budgetWithin(request: RequestBudget | undefined): EvaluationBudget {
  return new EvaluationBudget(request === undefined ? {} : { request });
}

/**
 * Evaluates an id that is given as an expression. The id may contain an alias of the data, but never the data itself.
 */
export function evaluateIdExpression(path: string, text: string, data: Sensitive<JsonValue>): string {
  return namingField(path, 'id', () => {
    const template = templates.compile(text);
    requireOpaqueId(template);
    return evaluateTemplateAsText(template, { data: data.reveal() }, expressionTools);
  });
}

/** Returns whether an expression is random, so that evaluating it again yields a different result. */
export function isRandom(text: string): boolean {
  return templates
    .compile(text)
    .parts.some((part) => typeof part !== 'string' && part.filters.some(({ effect }) => effect === 'alias'));
}

function compile(path: string, field: string, text: string, lengthMax?: number): Template {
  if (!isStorable(text)) throw invalidAt(path, field, 'must be well-formed text without NUL');
  return namingField(path, field, () => templates.compile(text, lengthMax === undefined ? {} : { lengthMax }));
}
