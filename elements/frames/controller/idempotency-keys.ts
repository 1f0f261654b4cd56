const keysMax = 1_000;

/**
 * Idempotency keys under which the vault stores the result of a call. A page that knew them could send a guess of the
 * typed value under the same key. If the guess were right, the vault would return the token of the first call.
 */
export class IdempotencyKeys {
  readonly #keys = new Map<string, string>();

  /** Maps a key of the page to a key that only this controller knows. */
  of(given: string): string {
    const known = this.#keys.get(given);
    if (known !== undefined) return known;
    const key = crypto.randomUUID();
    this.#keys.set(given, key);
    const [oldest] = this.#keys.keys();
    if (this.#keys.size > keysMax && oldest !== undefined) this.#keys.delete(oldest);
    return key;
  }
}
