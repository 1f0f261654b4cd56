const keysMax = 1_000;

/**
 * Keys under which the vault keeps what a call did. A page that knew them could send a guess of what was typed under the same
 * key: for a guess that is right, the vault shows the token of the first call.
 */
export class IdempotencyKeys {
  readonly #keys = new Map<string, string>();

  /** The key of the page under a name that only this controller knows. */
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
