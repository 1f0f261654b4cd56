import { OperatorError } from '../../../core/errors/operator-error.ts';
import type { RootKey, WrapContext } from './root-key.ts';

/** Thrown if a key was wrapped by a root key that this process does not have. */
export class UnknownRootKey extends OperatorError {
  constructor(wanted: string, known: readonly string[]) {
    super(
      `A key is wrapped by root key ${wanted}, but this process only has ${known.join(', ')}. Configure both until ` +
        '`strongroom keys rotate root` is done.',
    );
    this.name = 'UnknownRootKey';
  }
}

/**
 * The root keys of this process. One of them wraps keys, and the others only unwrap keys that they wrapped before. With
 * two root keys, the vault can move from one provider to another while it is running.
 */
export class RootKeys {
  readonly primary: RootKey;
  readonly #byId: ReadonlyMap<string, RootKey>;

  constructor(primary: RootKey, others: readonly RootKey[] = []) {
    this.primary = primary;
    this.#byId = new Map([...others, primary].map((key) => [key.id, key]));
  }

  get ids(): string[] {
    return [...this.#byId.keys()];
  }

  has(id: string): boolean {
    return this.#byId.has(id);
  }

  async wrap(key: Buffer, context: WrapContext): Promise<{ readonly rootKey: string; readonly wrapped: Buffer }> {
    return { rootKey: this.primary.id, wrapped: await this.primary.wrap(key, context) };
  }

  /**
   * Unwraps a key. Throws `UnknownRootKey` for an unknown id, and `RootKeyMismatch` in the same cases as
   * `RootKey.unwrap`.
   */
  async unwrap(id: string, wrapped: Buffer, context: WrapContext): Promise<Buffer> {
    const rootKey = this.#byId.get(id);
    if (rootKey === undefined) throw new UnknownRootKey(id, this.ids);
    return rootKey.unwrap(wrapped, context);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#byId.values()].map((key) => key.close()));
  }
}
