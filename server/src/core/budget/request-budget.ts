import { DomainError } from '../errors/domain-error.ts';

/**
 * What one request may ask for, over all of its tokens and texts. Each bounds processor time, so that the whole stays
 * below a second; no turn of the event loop comes near that, because the work is done in pieces.
 */
export const requestLimits = {
  /** References to tokens, over body, headers, path and query. */
  references: 1_000,
  /** What tokens are found by: pairs of metadata and search indexes. Each is one HMAC of some 6 µs. */
  searchTerms: 60_000,
  /** Characters that the expressions of all tokens together may read. */
  evaluatedCharacters: 8 * 1024 * 1024,
} as const;

/** Characters that references may put into a request: as many as the largest token holds. */
export const insertedCharactersMax = 4 * 1024 * 1024;

type Resource = keyof typeof requestLimits;

const sentences: Readonly<Record<Resource, string>> = {
  references: `A request can contain at most ${requestLimits.references} token references.`,
  searchTerms: `The tokens in a request can have at most ${requestLimits.searchTerms} metadata pairs and search indexes in total.`,
  evaluatedCharacters: `The expressions in a request can read at most ${requestLimits.evaluatedCharacters} characters in total.`,
};

/** What a request may still spend. Made once where a request is handled, and handed to whatever works for it. */
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
