import { DomainError } from '../errors/domain-error.ts';
import { tokenLimits } from '../token-limits.ts';

/**
 * What one request may use, over all of its tokens and texts. Each limit bounds processor time, so that the total stays
 * below a second; no single turn of the event loop comes close to that, because the work is done in pieces.
 */
export const requestLimits = {
  /** References to tokens, over body, headers, path and query. */
  references: 1_000,
  /** Metadata pairs and search indexes. Each takes one HMAC of about 6 µs. */
  searchTerms: 60_000,
  /** Characters that the expressions of all tokens may read in total. */
  evaluatedCharacters: 8 * 1024 * 1024,
} as const;

/** Characters that references may put into a request: as many as the largest token holds. */
export const insertedCharactersMax = tokenLimits.sizeBytesMax;

type Resource = keyof typeof requestLimits;

const sentences: Readonly<Record<Resource, string>> = {
  references: `A request can contain at most ${requestLimits.references} token references.`,
  searchTerms: `The tokens in a request can have at most ${requestLimits.searchTerms} metadata pairs and search indexes in total.`,
  evaluatedCharacters: `The expressions in a request can read at most ${requestLimits.evaluatedCharacters} characters in total.`,
};

/** What a request may still spend. Created once per request and passed to everything that works on it. */
export class RequestBudget {
  readonly #left: Record<Resource, number> = { ...requestLimits };

  leftOf(resource: Resource): number {
    return this.#left[resource];
  }

  /** Call before the work is done. */
  spend(resource: Resource, amount: number): void {
    if (amount > this.#left[resource]) throw new DomainError('validation-failed', sentences[resource]);
    this.#left[resource] -= amount;
  }
}
