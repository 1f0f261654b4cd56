import { Pkcs11Connection } from './pkcs11-connection.ts';
import { HsmError, resultOf } from './pkcs11-module.ts';
import { type Pkcs11Options, PinRefused } from './pkcs11-session.ts';
import { withinTime } from '../../../waiting/within-time.ts';
import { callTimeoutMs } from '../key-service.ts';
import { type RootKey, RootKeyMismatch, type WrapContext } from '../root-key.ts';

/**
 * A root key inside an HSM with a PKCS#11 interface. If the HSM fails, the current call throws an `HsmError`, and the
 * next call connects and logs in again.
 */
export class Pkcs11RootKey implements RootKey {
  readonly id: string;
  readonly #options: Pkcs11Options;
  #connection: Pkcs11Connection | undefined;
  #pinRefused: PinRefused | undefined;
  #isClosed = false;
  #lastTurn: Promise<unknown> = Promise.resolve();
  #turnBeganAt = 0;

  static async open(options: Pkcs11Options): Promise<Pkcs11RootKey> {
    const connection = await Pkcs11Connection.open(options).catch((error: unknown) => {
      throw toHsmError(error);
    });
    return new Pkcs11RootKey(options, connection);
  }

  private constructor(options: Pkcs11Options, connection: Pkcs11Connection) {
    this.id = connection.id;
    this.#options = options;
    this.#connection = connection;
  }

  wrap(key: Buffer, context: WrapContext): Promise<Buffer> {
    return this.#inTurn((connection) => connection.wrap(key, context));
  }

  unwrap(wrapped: Buffer, context: WrapContext): Promise<Buffer> {
    return this.#inTurn((connection) => connection.unwrap(wrapped, context));
  }

  /** Closes the connection after all pending calls have finished. */
  async close(): Promise<void> {
    await this.#lastTurn;
    this.#isClosed = true;
    this.#drop();
  }

  /** Runs one operation at a time. A session would reject a second operation, or mix it up with the first. */
  #inTurn<T>(work: (connection: Pkcs11Connection) => Promise<T>): Promise<T> {
    const turn = this.#lastTurn.then(() => {
      this.#turnBeganAt = performance.now();
      return this.#attempt(work);
    });
    this.#lastTurn = turn.catch(() => undefined);
    return this.#within(turn);
  }

  /**
   * Waits for a turn, however many are before it, but not for an HSM that does not respond. The operation itself cannot
   * be cancelled: the next one begins after it has ended.
   */
  async #within<T>(turn: Promise<T>): Promise<T> {
    const settled = turn.then(
      () => true,
      () => true,
    );
    let waitMs: number = callTimeoutMs;
    while (waitMs > 0) {
      if (await withinTime(settled, waitMs, '').catch(() => false)) return turn;
      // The turn that is running now may have begun while this call waited.
      waitMs = callTimeoutMs - (performance.now() - this.#turnBeganAt);
    }
    throw new HsmError(`The HSM did not respond within ${callTimeoutMs / 1_000} seconds. Check its connection.`);
  }

  async #attempt<T>(work: (connection: Pkcs11Connection) => Promise<T>): Promise<T> {
    try {
      this.#connection ??= await this.#reconnect();
      return await work(this.#connection);
    } catch (error) {
      if (error instanceof RootKeyMismatch || error instanceof TypeError) throw error;
      // Whatever the error was, the state of the session is now unknown.
      this.#drop();
      throw toHsmError(error);
    }
  }

  async #reconnect(): Promise<Pkcs11Connection> {
    if (this.#isClosed) throw new HsmError('The root key is closed.');
    // Without this check, every request would try the PIN again, and a few wrong PINs lock a token.
    if (this.#pinRefused !== undefined) throw this.#pinRefused;
    const connection = await Pkcs11Connection.open(this.#options).catch((error: unknown) => {
      if (error instanceof PinRefused) this.#pinRefused = error;
      throw error;
    });
    if (connection.id === this.id) return connection;
    // Keys wrapped from now on would be stored with the id of a different root key.
    connection.close();
    throw new HsmError(
      `The key labelled "${this.#options.keyLabel}" was replaced: it is now ${connection.id}, but this server was started with ${this.id}. Restore that key.`,
      undefined,
      'gone',
    );
  }

  #drop(): void {
    this.#connection?.close();
    this.#connection = undefined;
  }
}

function toHsmError(error: unknown): HsmError {
  if (error instanceof HsmError) return error;
  if (resultOf(error) === 'CKR_KEY_FUNCTION_NOT_PERMITTED') {
    return new HsmError(
      'The HSM does not allow this key to encrypt and decrypt. Set CKA_ENCRYPT and CKA_DECRYPT.',
      error,
      'disabled',
    );
  }
  return new HsmError(
    `The HSM returned an error (${resultOf(error)}). Check that it is connected and that the token is unlocked.`,
    error,
  );
}
