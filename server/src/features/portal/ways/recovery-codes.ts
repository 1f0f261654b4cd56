import type { Database, Transaction } from '../../../platform/database/database.ts';
import { generateRecoveryCode, parseRecoveryCode } from '../../../platform/keyring/sign-in/recovery-code.ts';
import type { SystemKeys } from '../../../platform/keyring/keys/system-keys.ts';
import { PasswordStore } from './password-store.ts';
import { RecoveryCodeStore } from './recovery-code-store.ts';
import type { UserSession } from '../people/user.ts';

const codesMax = 10;

/** Manages codes for users who have lost the authenticator app. Codes are shown once and stored as hashes. */
export class RecoveryCodes {
  readonly #database: Database;
  readonly #systemKeys: SystemKeys;

  constructor(parts: { database: Database; systemKeys: SystemKeys }) {
    this.#database = parts.database;
    this.#systemKeys = parts.systemKeys;
  }

  /**
   * Creates codes that replace all earlier ones. Returns undefined for a user without a password, who has no use for
   * codes.
   */
  renew({ user }: UserSession): Promise<readonly string[] | undefined> {
    return this.#database.forPortal(async (tx) => {
      if (!(await new PasswordStore(tx).hold(user.id))) return undefined;
      return this.renewInTransaction(tx, user.id);
    });
  }

  async renewInTransaction(tx: Transaction, userId: string): Promise<readonly string[]> {
    const codes = Array.from({ length: codesMax }, generateRecoveryCode);
    const hashes = codes.flatMap((code) => this.#hash(userId, code) ?? []);
    await new RecoveryCodeStore(tx).replace(userId, hashes);
    return codes;
  }

  /** Uses up a code and returns when it was created, or undefined if there is no such code. */
  async take(userId: string, typed: string): Promise<Date | undefined> {
    const hash = this.#hash(userId, typed);
    if (hash === undefined) return undefined;
    return this.#database.forPortal((tx) => new RecoveryCodeStore(tx).take(userId, hash));
  }

  #hash(userId: string, typed: string): Buffer | undefined {
    const code = parseRecoveryCode(typed);
    if (code === undefined) return undefined;
    return this.#systemKeys.hashCredential(Buffer.from(`recovery code ${userId} ${code}`, 'utf8'));
  }
}
