import { randomBytes } from 'node:crypto';
import { FileRootKey } from '../../src/platform/keyring/kms/file/file-root-key.ts';
import type { RootKey, WrapContext } from '../../src/platform/keyring/kms/root-key.ts';

/** A real root key that counts its calls, can be unavailable, and can be paused in the middle of a call. */
export class WatchedRootKey implements RootKey {
  readonly #inner: RootKey;
  readonly #arrivals: (() => void)[] = [];
  #open: Promise<void> = Promise.resolve();
  isAway = false;
  wraps = 0;
  unwraps = 0;

  constructor(inner: RootKey = new FileRootKey(randomBytes(32))) {
    this.#inner = inner;
  }

  get id(): string {
    return this.#inner.id;
  }

  async wrap(key: Buffer, context: WrapContext): Promise<Buffer> {
    this.wraps += 1;
    await this.#pass();
    return this.#inner.wrap(key, context);
  }

  async unwrap(wrapped: Buffer, context: WrapContext): Promise<Buffer> {
    this.unwraps += 1;
    await this.#pass();
    return this.#inner.unwrap(wrapped, context);
  }

  /** Holds every call until `release` is called. `reached` resolves when the first call arrives. */
  hold(): { readonly reached: Promise<void>; readonly release: () => void } {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#open = promise;
    const reached = new Promise<void>((arrive) => {
      this.#arrivals.push(arrive);
    });
    return { reached, release: resolve };
  }

  async close(): Promise<void> {
    await this.#inner.close();
  }

  async #pass(): Promise<void> {
    for (const arrive of this.#arrivals.splice(0)) arrive();
    await this.#open;
    if (this.isAway) throw new Error('The key service is away, as planned.');
  }
}
