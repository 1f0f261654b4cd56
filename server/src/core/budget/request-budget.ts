import { DomainError } from '../errors/domain-error.ts';
import { tokenLimits } from '../token-limits.ts';

/**
 * The resources that one request may use, over all of its tokens and texts. Each limit bounds processor time, so that
 * the total stays below a second. No single turn of the event loop comes close to that, because the work is done in
 * pieces.
 */
export const requestLimits = {
  /** References to tokens in body, headers, path and query. */
  references: 1_000,
  /** Metadata pairs and search indexes. Each takes one HMAC of about 6 µs. */
  searchTerms: 60_000,
  /** Characters that the expressions of all tokens may read in total. */
  evaluatedCharacters: 8 * 1024 * 1024,
} as const;

/** The maximum number of characters that references may insert into a request. The largest token holds as many. */
export const insertedCharactersMax = tokenLimits.sizeBytesMax;

type Resource = keyof typeof requestLimits;

const sentences: Readonly<Record<Resource, string>> = {
  references: `A request can contain at most ${requestLimits.references} token references.`,
  searchTerms: `The tokens in a request can have at most ${requestLimits.searchTerms} metadata pairs and search indexes in total.`,
  evaluatedCharacters: `The expressions in a request can read at most ${requestLimits.evaluatedCharacters} characters in total.`,
};

/** The remaining resources of a request. It is created once per request and passed to everything that works on it. */
export class RequestBudget {
  readonly #left: Record<Resource, number> = { ...requestLimits };

  leftOf(resource: Resource): number {
    return this.#left[resource];
  }

  /** Deducts an amount, or throws if too little remains. Call it before doing the work. */
  spend(resource: Resource, amount: number): void {
    if (amount > this.#left[resource]) throw new DomainError('validation-failed', sentences[resource]);
    this.#left[resource] -= amount;
  }
}
