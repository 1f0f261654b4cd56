import { keyIdOf } from '../../protocol/frame-address.ts';
import { RefusedCall } from './refused-call.ts';

const handlesMax = 100;

/**
 * Keys of sessions. A page gets a handle in place of the key: it can name the session in later calls, but cannot call the
 * API with it, or else a session that may reveal a card would hand the page what fields keep from it.
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
   * The key for a call: of a session, by its handle, or the one that the page began with. Any other one could belong to
   * somebody who has a tenant in the same vault, and would find there what was typed here.
   */
  find(given: string | undefined, own: string): string {
    if (given === undefined || given === own) return own;
    const key = this.#keys.get(given);
    if (key !== undefined) return key;
    throw new RefusedCall(
      'apiKey must be what sessions.create returned, or the public key that the elements were created with.',
    );
  }

  /** The key for reading, which sends nothing that was typed: a session that the page has created elsewhere will do, too. */
  findForReading(given: string | undefined, own: string): string {
    const isSession = given?.includes('_sess_') === true && keyIdOf(given) !== undefined;
    return isSession ? given : this.find(given, own);
  }
}
