import { OperatorError } from '../../../core/errors/operator-error.ts';
import type { RootKey, RootKeyConfig, WrapContext } from './root-key.ts';

/**
 * The id of an own root key as it is stored: that of the key, `@`, and its name in the settings. A vault that lacks the
 * key, or has another one under that name, can therefore say so.
 */
export function toOwnKeyId(id: string, name: string): string {
  return `${id}@${name}`;
}

/** Returns the name of the own root key that a stored id contains, or undefined for a root key of the vault. */
export function ownKeyNameOf(id: string): string | undefined {
  const at = id.lastIndexOf('@');
  return at === -1 ? undefined : id.slice(at + 1);
}

/** Thrown if a tenant's keys were wrapped by another key than the one that the settings have under that name. */
export class ReplacedOwnRootKey extends OperatorError {
  constructor(name: string, wanted: string, found: string) {
    super(
      `The own root key "${name}" is ${found} in the settings, but the tenant's keys were wrapped by ${wanted}. Configure ` +
        'that key under this name, and the other one under another name.',
    );
    this.name = 'ReplacedOwnRootKey';
  }
}

/**
 * A root key that a tenant's owner controls. It is opened when it is first needed, so that a key that is disabled stops
 * neither the start of a server nor another tenant.
 */
export class OwnRootKey {
  readonly name: string;
  readonly #config: RootKeyConfig;
  #opening: Promise<RootKey> | undefined;
  #isClosed = false;

  constructor(name: string, config: RootKeyConfig) {
    this.name = name;
    this.#config = config;
  }

  async wrap(key: Buffer, context: WrapContext): Promise<{ readonly rootKey: string; readonly wrapped: Buffer }> {
    const opened = await this.#open();
    return { rootKey: toOwnKeyId(opened.id, this.name), wrapped: await opened.wrap(key, context) };
  }

  async unwrap(id: string, wrapped: Buffer, context: WrapContext): Promise<Buffer> {
    const opened = await this.#open();
    const found = toOwnKeyId(opened.id, this.name);
    if (found === id) return opened.unwrap(wrapped, context);
    // The name may lead to the right key again later, for example if an alias was moved by mistake.
    await this.#drop();
    throw new ReplacedOwnRootKey(this.name, id, found);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#drop();
  }

  /** Opens the key once for all callers. A failure is not kept, unless another attempt would do harm. */
  #open(): Promise<RootKey> {
    if (this.#isClosed) return Promise.reject(new Error('The root keys of this process are closed.'));
    if (this.#opening !== undefined) return this.#opening;
    const opening = this.#config.open();
    this.#opening = opening;
    opening.catch((error: unknown) => {
      const isFinal = error instanceof OperatorError && error.isFinal;
      if (!isFinal && this.#opening === opening) this.#opening = undefined;
    });
    return opening;
  }

  async #drop(): Promise<void> {
    const opening = this.#opening;
    this.#opening = undefined;
    const opened = await opening?.catch(() => undefined);
    await opened?.close();
  }
}
