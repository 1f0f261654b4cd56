import type { Transform } from '../../core/access/access-rule.ts';
import { requireAccess } from '../../core/access/require-access.ts';
import { DomainError } from '../../core/errors/domain-error.ts';
import { EvaluationBudget } from '../../core/expressions/evaluation-budget.ts';
import type { ReferenceSource } from '../../core/expressions/reference-evaluation.ts';
import type { Reference } from '../../core/expressions/reference-text.ts';
import type { Caller } from '../../core/identity/caller.ts';
import type { TokenId } from '../../core/identity/ids.ts';
import type { JsonValue } from '../../core/json/json-value.ts';
import { parseJson } from '../../core/json/parse-json.ts';
import { expressionTools } from '../../platform/keyring/expression-tools.ts';
import type { StoredToken, VisibleToken } from './token.ts';
import { isTokenId } from './token-id.ts';
import { toTokenJson } from './token-json.ts';
import type { TokenPresenter } from './token-presenter.ts';
import type { TokenStore } from './token-store.ts';

const tokensPerRequestMax = 100;
const depthMax = 128;
/** What one request may put out and read, over all of its references. */
const charactersMax = 8 * 1024 * 1024;

/** A token that the caller may have the value of, still sealed, with the transform that it is shown through. */
export interface JudgedToken {
  readonly token: StoredToken;
  readonly transform: Transform;
}

/** The tokens that the references of a request stand for: found and judged first, opened afterwards. */
export class ReferencedTokens {
  readonly #store: TokenStore;
  readonly #presenter: TokenPresenter;

  constructor(parts: { store: TokenStore; presenter: TokenPresenter }) {
    this.#store = parts.store;
    this.#presenter = parts.presenter;
  }

  /** All tokens in one query, each judged before any is opened. */
  async find(
    caller: Caller,
    permission: 'token:read' | 'token:use',
    ids: ReadonlySet<string>,
  ): Promise<readonly JudgedToken[]> {
    if (ids.size > tokensPerRequestMax) {
      throw new DomainError('validation-failed', `A request refers to at most ${tokensPerRequestMax} tokens.`);
    }
    if (ids.size === 0) return [];
    const found = await this.#store.findAll(caller.tenantId, [...ids].filter(isTokenId));
    const unknown = [...ids].filter((id) => !found.has(id as TokenId));
    if (unknown.length > 0) {
      throw new DomainError(
        'validation-failed',
        `Failed to detokenize some tokens: ${unknown.join(', ')}. Tokens were not found.`,
      );
    }
    return [...found.values()].map((token) => ({
      token,
      transform: requireAccess(caller.grants, permission, token),
    }));
  }

  /** The values, for as long as one request is put together. */
  async open(tokens: readonly JudgedToken[]): Promise<ReferenceSource> {
    const visible = await Promise.all(tokens.map(({ token, transform }) => this.#presenter.show(token, transform)));
    const byId = new Map<string, VisibleToken>(visible.map((view) => [view.token.id, view]));
    return {
      find: (reference) => valueOf(reference, byId),
      tools: expressionTools,
      budget: new EvaluationBudget({ outputCharactersMax: charactersMax, workCharactersMax: charactersMax }),
    };
  }
}

/** Data that the caller may not see is null; `token:` stands for the whole token as the caller sees it. */
function valueOf({ kind, tokenId }: Reference, tokens: ReadonlyMap<string, VisibleToken>): JsonValue | undefined {
  const token = tokens.get(tokenId);
  if (token === undefined) return undefined;
  if (kind === 'token') return parseJson(toTokenJson(token), { depthMax });
  return token.data === undefined ? null : parseJson(token.data.reveal(), { depthMax });
}
