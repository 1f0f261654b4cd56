import type { Transform } from '../../../core/access/access-rule.ts';
import type { RequestBudget } from '../../../core/budget/request-budget.ts';
import { requireAccess } from '../../../core/access/require-access.ts';
import { DomainError } from '../../../core/errors/domain-error.ts';
import type { ReferenceSource } from '../../../core/expressions/reference-evaluation.ts';
import type { ReferenceUses } from '../../../core/expressions/reference-uses.ts';
import type { KeyCaller } from '../../../core/identity/caller.ts';
import { inMebibytes } from '../../../core/text/byte-size.ts';
import { tokenizeLimits, tokenQueryLimits } from '../../../core/token-limits.ts';
import { OpenedReferences } from './opened-references.ts';
import type { StoredToken } from '../model/token.ts';
import { isTokenId } from '../model/token-id.ts';
import type { TokenPresenter } from '../read/index.ts';
import type { TokenStore } from '../model/token-store.ts';

const { referencedTokensMax } = tokenizeLimits;

/** A token whose value the caller may use, still sealed, with the transform that it is shown through. */
export interface JudgedToken {
  readonly token: StoredToken;
  readonly transform: Transform;
  /** The parts of the token that the request refers to. */
  readonly fields: readonly string[];
}

/** Finds and authorizes the tokens that a request refers to, and opens them afterwards. */
export class ReferencedTokens {
  readonly #store: TokenStore;
  readonly #presenter: TokenPresenter;

  constructor(parts: { store: TokenStore; presenter: TokenPresenter }) {
    this.#store = parts.store;
    this.#presenter = parts.presenter;
  }

  /** Finds all tokens in one query and authorizes each before any is opened. */
  async find(
    caller: KeyCaller,
    permission: 'token:read' | 'token:use',
    uses: ReferenceUses,
  ): Promise<readonly JudgedToken[]> {
    const ids = [...uses.keys()];
    if (ids.length > referencedTokensMax) {
      throw new DomainError('validation-failed', `A request refers to at most ${referencedTokensMax} tokens.`);
    }
    if (ids.length === 0) return [];
    const { tokens: found, isCut } = await this.#store.findAll(caller.tenantId, ids.filter(isTokenId));
    if (isCut) {
      throw new DomainError(
        'validation-failed',
        `The tokens that the request refers to hold too much data together (more than ${inMebibytes(tokenQueryLimits.pageBytesMax)}). Refer to fewer of them at a time.`,
        { found: {} },
      );
    }
    const unknown = ids.filter((id) => !isTokenId(id) || !found.has(id));
    if (unknown.length > 0) {
      throw new DomainError(
        'validation-failed',
        `Failed to detokenize some tokens: ${unknown.join(', ')}. Tokens were not found.`,
        { missing: { count: unknown.length, found: found.size } },
      );
    }
    return [...found.values()].map((token) => ({
      token,
      transform: requireAccess(caller.grants, permission, token),
      fields: [...(uses.get(token.id) ?? [])].sort(),
    }));
  }

  /** Opens the tokens. The values are kept only while one request is assembled. */
  async open(caller: KeyCaller, tokens: readonly JudgedToken[], budget: RequestBudget): Promise<ReferenceSource> {
    return new OpenedReferences(await this.#presenter.showAll(caller, tokens), budget);
  }
}
