import type { Transform } from '../../../core/access/access-rule.ts';
import type { RequestBudget } from '../../../core/budget/request-budget.ts';
import { requireAccess } from '../../../core/access/require-access.ts';
import { DomainError } from '../../../core/errors/domain-error.ts';
import type { ReferenceSource } from '../../../core/expressions/reference-evaluation.ts';
import type { Caller } from '../../../core/identity/caller.ts';
import type { TokenId } from '../../../core/identity/ids.ts';
import { OpenedReferences } from './opened-references.ts';
import type { StoredToken } from '../model/token.ts';
import { isTokenId } from '../model/token-id.ts';
import type { TokenPresenter } from '../read/index.ts';
import type { TokenStore } from '../model/token-store.ts';

const tokensPerRequestMax = 100;

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
      throw new DomainError('validation-failed', `A request can reference at most ${tokensPerRequestMax} tokens.`);
    }
    if (ids.size === 0) return [];
    const { tokens: found, isCut } = await this.#store.findAll(caller.tenantId, [...ids].filter(isTokenId));
    if (isCut) {
      throw new DomainError(
        'validation-failed',
        'The tokens that the request references hold more than 8 MiB of data in total. Reference fewer tokens at a time.',
      );
    }
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
  async open(caller: Caller, tokens: readonly JudgedToken[], budget: RequestBudget): Promise<ReferenceSource> {
    return new OpenedReferences(await this.#presenter.showAll(caller, tokens), budget);
  }
}
