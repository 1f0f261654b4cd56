import { toClientNetwork } from '../../core/network/client-network.ts';
import type { Database } from '../../platform/database/database.ts';
import { type DatabaseClock, databaseClock } from '../../platform/database/database-clock.ts';
import type { SystemKeys } from '../../platform/keyring/system-keys.ts';
import { SignInAttemptStore } from './sign-in-attempt-store.ts';
import { SignInRefused } from './sign-in-refused.ts';

export const attemptWindowSeconds = 15 * 60;
/** An account that is being guessed can still be entered by passkey, provider or link. */
const accountMax = 10;
const addressMax = 50;

/**
 * How often a password may be tried. Counted before anything is compared, in the database that all servers share: where it
 * cannot be counted, nobody signs in.
 */
export class SignInAttempts {
  readonly #database: Database;
  readonly #systemKeys: SystemKeys;
  readonly #clock: DatabaseClock;

  constructor(parts: { database: Database; systemKeys: SystemKeys; clock?: DatabaseClock }) {
    this.#database = parts.database;
    this.#systemKeys = parts.systemKeys;
    this.#clock = parts.clock ?? databaseClock;
  }

  /** By address first, so that one client cannot fill the table with accounts. */
  async count(email: string, address: string): Promise<void> {
    const isAllowed =
      (await this.#count(`address ${toClientNetwork(address)}`)) <= addressMax &&
      (await this.#count(accountOf(email))) <= accountMax;
    if (!isAllowed) throw new SignInRefused('There were too many attempts. Try again in a quarter of an hour.', 429);
  }

  /** Whoever got in was no guesser. */
  async forget(email: string): Promise<void> {
    await this.#database.forPortal((tx) =>
      new SignInAttemptStore(tx, this.#clock).forget(this.#hash(accountOf(email))),
    );
  }

  #count(subject: string): Promise<number> {
    return this.#database.forPortal((tx) =>
      new SignInAttemptStore(tx, this.#clock).count(this.#hash(subject), attemptWindowSeconds),
    );
  }

  #hash(subject: string): Buffer {
    return this.#systemKeys.hashCredential(Buffer.from(`sign-in ${subject}`, 'utf8'));
  }
}

function accountOf(email: string): string {
  return `account ${email.toLowerCase()}`;
}
