/**
 * Waits at startup until every running server has handed over its keys. A rolling restart stops the old server as soon
 * as the new one is ready, so a new server must not be ready before it has the old one's keys.
 */
export class Gathering {
  readonly #answered = new Set<string>();
  #check: () => void = () => undefined;
  #isOver = false;

  heard(processId: string): void {
    if (this.#isOver) return;
    this.#answered.add(processId);
    this.#check();
  }

  async complete(count: number, withinMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, withinMs);
    this.#check = () => {
      if (this.#answered.size >= count) resolve();
    };
    this.#check();
    await promise;
    clearTimeout(timer);
    this.#isOver = true;
    this.#answered.clear();
  }
}
