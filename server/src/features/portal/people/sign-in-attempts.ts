import type { EmailAddress } from '../../../core/identity/email-address.ts';
import { toClientNetwork } from '../../../core/network/client-network.ts';
import type { Database } from '../../../platform/database/database.ts';
import { type DatabaseClock, databaseClock } from '../../../platform/database/database-clock.ts';
import type { SystemKeys } from '../../../platform/keyring/keys/system-keys.ts';
import { SignInAttemptStore } from './sign-in-attempt-store.ts';
import { SignInRefused } from './sign-in-refused.ts';

const addressWindowSeconds = 15 * 60;
const addressMax = 50;
/**
 * The tenth failure locks a password for 30 minutes (PCI DSS 8.3.4). Further attempts do not prolong the lock. The user
 * can still sign in with a passkey, a provider or a link, and each of them ends the lock.
 */
export const lockSeconds = 30 * 60;
const accountMax = 10;

/** The message is the same for an address without a user. */
const locked =
  'Ten attempts have failed, so the password for this e-mail address is locked for 30 minutes. You can still sign in with a passkey or your provider.';

/** The account whose password is tried: a user, or an address without a password. */
export type TriedAccount = { readonly userId: string } | { readonly email: EmailAddress };

/**
 * Limits how often a password may be tried. Attempts are counted before anything is compared, in the database that all
 * servers share. If they cannot be counted, nobody can sign in.
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

  /**
   * Counts an attempt by the client. This comes before any look-up, so that one client cannot fill the table with
   * accounts.
   */
  async countClient(address: string): Promise<void> {
    const subjectHash = this.#hash(`address ${toClientNetwork(address)}`);
    const attempts = await this.#database.forPortal((tx) =>
      new SignInAttemptStore(tx, this.#clock).count(subjectHash, addressWindowSeconds),
    );
    if (attempts > addressMax) {
      throw new SignInRefused('Too many attempts from your network. Try again in 15 minutes.', 429);
    }
  }

  /**
   * Counts an attempt for the account. It is counted by user and not by address, because a different spelling of the
   * address must not have its own count.
   */
  async countAccount(account: TriedAccount): Promise<void> {
    const subjectHash = this.#hash(subjectOf(account));
    const attempts = await this.#database.forPortal((tx) =>
      new SignInAttemptStore(tx, this.#clock).countTowardsLock(subjectHash, { max: accountMax, lockSeconds }),
    );
    if (attempts > accountMax) throw new SignInRefused(locked, 429);
  }

  /** Resets the count after a successful sign-in with any method. */
  async forget(userId: string): Promise<void> {
    const subjectHash = this.#hash(subjectOf({ userId }));
    await this.#database.forPortal((tx) => new SignInAttemptStore(tx, this.#clock).forget(subjectHash));
  }

  #hash(subject: string): Buffer {
    return this.#systemKeys.hashCredential(Buffer.from(`sign-in ${subject}`, 'utf8'));
  }
}

/** Returns the subject to count. Addresses are ASCII, so there is only one way to fold their case. */
function subjectOf(account: TriedAccount): string {
  return 'userId' in account ? `user ${account.userId}` : `account ${account.email.toLowerCase()}`;
}
