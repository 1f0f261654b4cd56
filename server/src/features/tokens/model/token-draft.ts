import { DomainError } from '../../../core/errors/domain-error.ts';
import type { RequestBudget } from '../../../core/budget/request-budget.ts';
import { parseContainer } from '../../../core/access/container.ts';
import { parseExpiresAt, type ExpiresAt } from '../../../core/expiry/expires-at.ts';
import { Sensitive } from '../../../core/identity/sensitive.ts';
import { jsonTextSteps, toJsonText } from '../../../core/json/json-text.ts';
import { isJsonObject, type JsonValue } from '../../../core/json/json-value.ts';
import { isLongerThan, isStorable } from '../../../core/text/code-points.ts';
import { tokenLimits } from '../../../core/token-limits.ts';
import { findTokenType, tokenTypeNames } from '../../../core/token-types/token-type-catalog.ts';
import type { TokenType } from '../../../core/token-types/token-type.ts';
import { inTurns } from '../../../platform/waiting/turns.ts';
import { invalidAt, requireNoFieldErrors } from './request-path.ts';
import type { Metadata, ViewAuthors } from './token.ts';
import {
  type CompiledExpressions,
  compileExpressions,
  type ExpressionTexts,
  maskData,
  requireMaskSize,
  requireReadsData,
} from './token-expressions.ts';
import type { TokenRequest } from './token-request.ts';

/** A token whose parts have all been checked. Only the parts that need keys are missing. */
export interface TokenDraft {
  readonly path: string;
  readonly wantedId: string | undefined;
  readonly type: TokenType;
  /** The data without the card verification code, which is stored separately. */
  readonly data: Sensitive<JsonValue>;
  readonly dataText: Sensitive<string>;
  /** JSON text of the card verification code. */
  readonly cvc: Sensitive<string> | undefined;
  /** JSON text of the data in masked views. Undefined if they contain no data. */
  readonly masked: Sensitive<string> | undefined;
  readonly isMaskWhole: boolean;
  readonly containers: readonly string[];
  readonly metadata: Metadata | null;
  readonly texts: ExpressionTexts;
  readonly viewAuthors: ViewAuthors;
  readonly expressions: CompiledExpressions;
  readonly deduplicate: boolean | undefined;
  readonly expiresAt: ExpiresAt | null;
}

const { containersMax, containerLengthMax, containersLengthMax, metadataKeysMax, metadataKeyLengthMax } = tokenLimits;

export async function toTokenDraft(request: TokenRequest, now: Date, budget?: RequestBudget): Promise<TokenDraft> {
  const { path } = request;
  const type = findTokenType(request.type);
  if (type === undefined) throw invalidAt(path, 'type', `must be one of ${tokenTypeNames.join(', ')}`);
  requireNoFieldErrors(path, type.validate(request.data));
  const texts = {
    mask: request.mask,
    searchIndexes: request.searchIndexes,
    fingerprintExpression: request.fingerprintExpression,
  };
  requireReadsData(path, texts.fingerprintExpression);
  requireMaskSize(path, texts.mask);
  const parts = await withoutCvc(type, request.data, request.dataText);
  const expressions = compileExpressions(path, type, texts);
  return {
    path,
    wantedId: request.id,
    type,
    ...parts,
    ...(await maskData({ path, type, data: parts.data }, expressions, budget)),
    containers: request.containers === undefined ? type.defaultContainers : toContainers(path, request.containers),
    metadata: request.metadata === undefined ? null : toMetadata(path, request.metadata),
    texts,
    viewAuthors: {},
    expressions,
    deduplicate: request.deduplicate,
    expiresAt: request.expiresAt === undefined ? null : toExpiresAt(path, request.expiresAt, now),
  };
}

/** Separates the card verification code from card data. */
export async function withoutCvc(
  type: TokenType,
  data: Sensitive<JsonValue>,
  dataText: Sensitive<string>,
): Promise<Pick<TokenDraft, 'data' | 'dataText' | 'cvc'>> {
  const card = data.reveal();
  if (type.name !== 'card' || !isJsonObject(card) || !Object.hasOwn(card, 'cvc'))
    return { data, dataText, cvc: undefined };
  const { cvc = null, ...rest } = card;
  return {
    data: new Sensitive(rest),
    dataText: new Sensitive(await inTurns(jsonTextSteps(rest))),
    cvc: cvc === null ? undefined : new Sensitive(toJsonText(cvc)),
  };
}

export function toContainers(path: string, given: readonly string[]): readonly string[] {
  if (given.length === 0 || given.length > containersMax) {
    throw invalidAt(
      path,
      'containers',
      `must have 1 to ${containersMax} containers; omit it for the default containers of the type`,
    );
  }
  const containers = given.map((text, index) => {
    const container = parseContainer(text);
    if (container !== undefined) return container;
    const message = `must start and end with a slash, contain only letters, digits, - and _ between slashes, and have at most ${containerLengthMax} characters`;
    throw invalidAt(path, `containers.${index}`, message);
  });
  const different = [...new Set(containers)];
  if (different.reduce((sum, { length }) => sum + length, 0) > containersLengthMax) {
    throw invalidAt(path, 'containers', `must have at most ${containersLengthMax} characters together`);
  }
  return different;
}

export function toMetadata(path: string, metadata: Metadata): Metadata {
  const entries = Object.entries(metadata);
  if (entries.length > metadataKeysMax) throw invalidAt(path, 'metadata', `must have at most ${metadataKeysMax} keys`);
  if (!entries.every(([key]) => key !== '' && !isLongerThan(key, metadataKeyLengthMax))) {
    throw invalidAt(path, 'metadata', `must have keys of 1 to ${metadataKeyLengthMax} characters`);
  }
  if (!entries.flat().every(isStorable)) throw invalidAt(path, 'metadata', 'must be well-formed text without NUL');
  return metadata;
}

export function toExpiresAt(path: string, text: string, now: Date): ExpiresAt {
  try {
    return parseExpiresAt(text, now);
  } catch (error) {
    const fields = error instanceof DomainError ? error.fields : undefined;
    throw path === '' || fields === undefined
      ? error
      : invalidAt(path, 'expires_at', fields['expires_at']?.[0] ?? 'is not valid');
  }
}
