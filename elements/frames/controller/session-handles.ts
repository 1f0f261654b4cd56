import { keyIdOf } from '../../protocol/frame-address.ts';
import { RefusedCall } from './refused-call.ts';

const handlesMax = 100;

/**
 * Keys of sessions. A page receives a handle instead of the key. With the handle, the page can refer to the session in
 * later calls, but cannot call the API itself. Otherwise it could use a session that may reveal a card to get the
 * values that fields hide from it.
 */
export class SessionHandles {
  readonly #keys = new Map<string, string>();

  keep(key: string): string {
    const handle = `session_${crypto.randomUUID()}`;
    this.#keys.set(handle, key);
    const [oldest] = this.#keys.keys();
    if (this.#keys.size > handlesMax && oldest !== undefined) this.#keys.delete(oldest);
    return handle;
  }

  /**
   * Returns the key for a call: the key of a session, found by its handle, or the key that the page started with. Any
   * other key could belong to another tenant of the same vault, whose owner would then receive the typed values.
   */
  find(given: string | undefined, own: string): string {
    if (given === undefined || given === own) return own;
    const key = this.#keys.get(given);
    if (key !== undefined) return key;
    throw new RefusedCall(
      'apiKey must be what sessions.create returned, or the public key that the elements were created with.',
    );
  }

  /**
   * Returns the key for a read. A read sends nothing that was typed, so the page may use a session that it created
   * elsewhere.
   */
  findForReading(given: string | undefined, own: string): string {
    const isSession = given?.includes('_sess_') === true && keyIdOf(given) !== undefined;
    return isSession ? given : this.find(given, own);
  }
}
