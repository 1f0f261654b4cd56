import { OperatorError } from '../../../core/errors/operator-error.ts';
import { OwnRootKey, ownKeyNameOf } from './own-root-key.ts';
import type { RootKeyConfig, WrapContext } from './root-key.ts';

/** Root keys of tenants in the settings. */
export interface OwnRootKeysConfig {
  readonly keys: ReadonlyMap<string, RootKeyConfig>;
  /** The time for which values can be decrypted after the own root key of their tenant stopped working. */
  readonly graceSeconds: number;
}

/** Thrown if the settings of this process have no own root key of that name. */
export class UnknownOwnRootKey extends OperatorError {
  constructor(name: string) {
    super(
      `The settings have no root key named "${name}", which wraps the keys of a tenant. Add it to ` +
        'STRONGROOM_TENANT_ROOT_KEYS and restart.',
    );
    this.name = 'UnknownOwnRootKey';
  }
}

/** The root keys that owners of tenants control, by their names in the settings. */
export class OwnRootKeys {
  readonly graceMs: number;
  readonly #byName: ReadonlyMap<string, OwnRootKey>;

  constructor({ keys, graceSeconds }: OwnRootKeysConfig = { keys: new Map(), graceSeconds: 900 }) {
    this.graceMs = graceSeconds * 1_000;
    this.#byName = new Map([...keys].map(([name, config]) => [name, new OwnRootKey(name, config)]));
  }

  get names(): string[] {
    return [...this.#byName.keys()];
  }

  get(name: string): OwnRootKey {
    const found = this.#byName.get(name);
    if (found === undefined) throw new UnknownOwnRootKey(name);
    return found;
  }

  /** Unwraps a key that was wrapped by the own root key with this stored id. */
  async unwrap(id: string, wrapped: Buffer, context: WrapContext): Promise<Buffer> {
    return this.get(ownKeyNameOf(id) ?? '').unwrap(id, wrapped, context);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#byName.values()].map((key) => key.close()));
  }
}
