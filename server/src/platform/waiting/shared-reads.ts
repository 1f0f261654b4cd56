/**
 * Reads under way, at most one a key: whoever asks meanwhile shares it. A read that began before a change was heard of still
 * serves those who wait for it, but what it found is not kept.
 */
export class SharedReads<Key, Value> {
  readonly #underWay = new Map<Key, Promise<Value>>();

  has(key: Key): boolean {
    return this.#underWay.has(key);
  }

  run(key: Key, read: () => Promise<Value>, keep: (value: Value) => void): Promise<Value> {
    const shared = this.#underWay.get(key);
    if (shared !== undefined) return shared;
    const isCurrent = () => this.#underWay.get(key) === own;
    const own = read()
      .then((value) => {
        if (isCurrent()) keep(value);
        return value;
      })
      .finally(() => {
        if (isCurrent()) this.#underWay.delete(key);
      });
    this.#underWay.set(key, own);
    return own;
  }

  /** Something changed: whoever asks from now on reads again. */
  outdate(key: Key): void {
    this.#underWay.delete(key);
  }

  outdateAll(): void {
    this.#underWay.clear();
  }
}
