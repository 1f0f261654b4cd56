import { DomainError } from '../../../core/errors/domain-error.ts';
import type { RequestBudget } from '../../../core/budget/request-budget.ts';
import { parseContainer } from '../../../core/access/container.ts';
import type { AccessTarget } from '../../../core/access/decide-access.ts';
import { type ExpiresAt, parseExpiresAt } from '../../../core/expiry/expires-at.ts';
import { type LifeLimit, limitExpiry } from '../../../core/expiry/life-limit.ts';
import { toId, type TokenId } from '../../../core/identity/ids.ts';
import { Sensitive } from '../../../core/identity/sensitive.ts';
import { jsonTextSteps, toJsonText } from '../../../core/json/json-text.ts';
import { isJsonObject, type JsonValue } from '../../../core/json/json-value.ts';
import { countCodePoints, isLongerThan, isStorable } from '../../../core/text/code-points.ts';
import { tokenLimits } from '../../../core/token-limits.ts';
import { findTokenType, tokenTypeNames } from '../../../core/token-types/token-type-catalog.ts';
import type { TokenType } from '../../../core/token-types/token-type.ts';
import { inTurns } from '../../../platform/waiting/turns.ts';
import { invalidAt, requireNoFieldErrors, type TokenRequest } from '../model/token-request.ts';
import type { Metadata, ViewAuthors } from '../model/token.ts';
import {
  type CompiledExpressions,
  compileExpressions,
  evaluateIdExpression,
  type ExpressionTexts,
  isRandom,
  maskData,
  requireMaskSize,
  requireReadsData,
} from '../model/token-expressions.ts';

/** The number of random aliases to try before falling back to a UUID if they are all taken. */
export const aliasTriesMax = 3;

/** A token that is checked and has its id. Only the parts that need keys are missing. */
export interface TokenDraft {
  readonly path: string;
  readonly id: TokenId;
  /** The id as requested, which can be an expression. Undefined if the vault chose the id. */
  readonly wantedId: string | undefined;
  readonly version: number;
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

const forbiddenInId = new Set('#/\\+?[]|&=%<>{}^');
const { idLengthMin, idLengthMax } = tokenLimits;
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
    version: 1,
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
    id: toTokenId({ path, wantedId: request.id, data: parts.data }),
  };
}

/** Returns the draft of a token that is created now, with an expiry that the limits on its life allow. */
export function withinLife(
  draft: TokenDraft,
  at: { readonly limits: readonly LifeLimit[]; readonly now: Date },
): TokenDraft {
  const { type, containers } = draft;
  return { ...draft, expiresAt: limitExpiry(draft.expiresAt, { type: type.name, containers, createdAt: at.now }, at) };
}

/** Returns the draft under another id: an expression is evaluated again, and without one the vault chooses the id. */
export function withOtherId(draft: TokenDraft, wantedId: string | undefined): TokenDraft {
  return { ...draft, wantedId, id: toTokenId({ ...draft, wantedId }) };
}

/** Returns whether a taken id can be replaced. Evaluating an alias expression again yields a different alias. */
export function isAlias(wanted: string | undefined): boolean {
  return isIdExpression(wanted) && isRandom(wanted);
}

/** Returns the id of a new token: generated, chosen by the caller, or an alias from an expression. */
function toTokenId(draft: {
  readonly path: string;
  readonly wantedId: string | undefined;
  readonly data: Sensitive<JsonValue>;
}): TokenId {
  const { path, wantedId, data } = draft;
  if (wantedId === undefined) return toId<TokenId>(crypto.randomUUID());
  const id = isIdExpression(wantedId) ? evaluateIdExpression(path, wantedId, data) : wantedId;
  if (!isAcceptable(id)) {
    throw invalidAt(
      path,
      'id',
      `must have ${idLengthMin} to ${idLengthMax} characters and none of ${[...forbiddenInId].join(' ')}`,
    );
  }
  return id;
}

export function isIdExpression(wanted: string | undefined): wanted is string {
  return wanted?.includes('{{') === true;
}

function isAcceptable(id: string): id is TokenId {
  const isPlain = ![...id].some(
    (character) => forbiddenInId.has(character) || character < ' ' || character === '\u007f',
  );
  return countCodePoints(id) >= idLengthMin && !isLongerThan(id, idLengthMax) && isPlain && id.isWellFormed();
}

/**
 * Returns the target of the permission check. An id that the caller does not choose is not known yet, so it satisfies
 * no condition on ids.
 */
export function toTarget({ wantedId, containers }: Pick<TokenDraft, 'wantedId' | 'containers'>): AccessTarget {
  return wantedId === undefined || isIdExpression(wantedId) ? { containers } : { id: wantedId, containers };
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
