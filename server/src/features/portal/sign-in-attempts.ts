import type { EmailAddress } from '../../core/identity/email-address.ts';
import { toClientNetwork } from '../../core/network/client-network.ts';
import type { Database } from '../../platform/database/database.ts';
import { type DatabaseClock, databaseClock } from '../../platform/database/database-clock.ts';
import type { SystemKeys } from '../../platform/keyring/system-keys.ts';
import { SignInAttemptStore } from './sign-in-attempt-store.ts';
import { SignInRefused } from './sign-in-refused.ts';

export const attemptWindowSeconds = 15 * 60;
/** While a password is being guessed, its user can still sign in by passkey, provider or link. */
const accountMax = 10;
const addressMax = 50;

/** Whose password is tried: a user's, or nobody's, under an address without a password. */
export type TriedAccount = { readonly userId: string } | { readonly email: EmailAddress };

/**
 * How often a password may be tried. Counted before anything is compared, in the database that all servers share: if it
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

  /** Before anything is looked up, so that one client cannot fill the table with accounts. */
  async countClient(address: string): Promise<void> {
    requireFew(await this.#count(`address ${toClientNetwork(address)}`), addressMax);
  }

  /** By user and not by the spelling of the address: another spelling must not start from zero. */
  async countAccount(account: TriedAccount): Promise<void> {
    requireFew(await this.#count(subjectOf(account)), accountMax);
  }

  /** A successful sign-in resets the count. */
  async forget(userId: string): Promise<void> {
    const subjectHash = this.#hash(subjectOf({ userId }));
    await this.#database.forPortal((tx) => new SignInAttemptStore(tx, this.#clock).forget(subjectHash));
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

function requireFew(attempts: number, max: number): void {
  if (attempts > max) throw new SignInRefused('Too many attempts. Try again in 15 minutes.', 429);
}

/** Addresses are ASCII, so there is only one way to fold their case. */
function subjectOf(account: TriedAccount): string {
  return 'userId' in account ? `user ${account.userId}` : `account ${account.email.toLowerCase()}`;
}
