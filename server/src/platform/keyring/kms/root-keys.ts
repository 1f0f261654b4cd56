import { OperatorError } from '../../../core/errors/operator-error.ts';
import { ownKeyNameOf } from './own-root-key.ts';
import { OwnRootKeys } from './own-root-keys.ts';
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
  /** The root keys of tenants that have their own. */
  readonly own: OwnRootKeys;
  readonly #byId: ReadonlyMap<string, RootKey>;

  constructor(primary: RootKey, others: readonly RootKey[] = [], own = new OwnRootKeys()) {
    this.primary = primary;
    this.own = own;
    this.#byId = new Map([...others, primary].map((key) => [key.id, key]));
  }

  /** The ids of the root keys of the vault, without those of tenants. */
  get ids(): string[] {
    return [...this.#byId.keys()];
  }

  has(id: string): boolean {
    return this.#byId.has(id);
  }

  /** Wraps a key with the own root key of that name, or with the root key of the vault if there is no name. */
  async wrap(
    key: Buffer,
    context: WrapContext,
    ownKey?: string,
  ): Promise<{ readonly rootKey: string; readonly wrapped: Buffer }> {
    if (ownKey !== undefined) return this.own.get(ownKey).wrap(key, context);
    return { rootKey: this.primary.id, wrapped: await this.primary.wrap(key, context) };
  }

  /**
   * Unwraps a key. Throws `UnknownRootKey` or `UnknownOwnRootKey` for an unknown id, and `RootKeyMismatch` in the same
   * cases as `RootKey.unwrap`.
   */
  async unwrap(id: string, wrapped: Buffer, context: WrapContext): Promise<Buffer> {
    if (ownKeyNameOf(id) !== undefined) return this.own.unwrap(id, wrapped, context);
    const rootKey = this.#byId.get(id);
    if (rootKey === undefined) throw new UnknownRootKey(id, this.ids);
    return rootKey.unwrap(wrapped, context);
  }

  async close(): Promise<void> {
    await Promise.all([this.own, ...this.#byId.values()].map((key) => key.close()));
  }
}
