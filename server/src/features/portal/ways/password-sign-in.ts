import { parseEmailAddress } from '../../../core/identity/email-address.ts';
import { Sensitive } from '../../../core/identity/sensitive.ts';
import type { Database } from '../../../platform/database/database.ts';
import { databaseClock } from '../../../platform/database/database-clock.ts';
import type { PasswordHasher } from '../../../platform/keyring/sign-in/password-hasher.ts';
import type { SystemKeys } from '../../../platform/keyring/keys/system-keys.ts';
import { findTotpStep, generateTotpSecret, toTotpUri } from '../../../platform/keyring/sign-in/totp.ts';
import type { Ceremonies } from './ceremonies.ts';
import { findPasswordMistake } from './password-rule.ts';
import { PasswordStore, type StoredPassword } from './password-store.ts';
import type { RecoveryCodes } from './recovery-codes.ts';
import type { SignInAttempts } from '../people/sign-in-attempts.ts';
import { SignInRefused } from '../people/sign-in-refused.ts';
import { UserSessionStore } from '../people/user-session-store.ts';
import type { UserSessions } from '../people/user-sessions.ts';
import type { WayAdmission } from './way-admission.ts';
import { nameOf, type Origin, type ProvenUser, type UserSession } from '../people/user.ts';

const unknownSalt = Buffer.alloc(16);
const unknownHash = Buffer.alloc(32);
/** The message is the same for every mistake, so that it does not reveal which addresses have an account. */
const wrong = 'The e-mail address, password or code is incorrect.';
const wrongCode = 'The code is incorrect. Check the clock on your device and try the next code.';

/** An authenticator app that is being set up. */
export interface NewAuthenticator {
  readonly secret: string;
  readonly uri: string;
  readonly sealed: string;
}

/**
 * Signs users in with a password and the code of an authenticator app. It is for users with neither a passkey nor a
 * provider.
 */
export class PasswordSignIn {
  readonly #parts: {
    readonly database: Database;
    readonly systemKeys: SystemKeys;
    readonly hasher: PasswordHasher;
    readonly attempts: SignInAttempts;
    readonly ceremonies: Ceremonies;
    readonly sessions: UserSessions;
    readonly recoveryCodes: RecoveryCodes;
    readonly admission: WayAdmission;
    readonly now: () => Date;
  };

  constructor(parts: {
    database: Database;
    systemKeys: SystemKeys;
    hasher: PasswordHasher;
    attempts: SignInAttempts;
    ceremonies: Ceremonies;
    sessions: UserSessions;
    recoveryCodes: RecoveryCodes;
    admission: WayAdmission;
    now?: () => Date;
  }) {
    this.#parts = { ...parts, now: parts.now ?? (() => new Date()) };
  }

  /**
   * Returns the user with these credentials. If they are wrong, it throws, after doing as much work as for a known
   * address.
   */
  async verify(
    given: { email: string; password: Sensitive<string>; code: string },
    origin: Origin,
  ): Promise<ProvenUser> {
    const { database, systemKeys, hasher, attempts } = this.#parts;
    await attempts.countClient(origin.sourceAddress);
    const email = parseEmailAddress(given.email);
    // No user has such an address, so failing sooner reveals nothing.
    if (email === undefined) throw new SignInRefused(wrong);
    const stored = await database.forPortal((tx) => new PasswordStore(tx).find(email));
    await attempts.countAccount(stored ?? { email });
    const hash = await hasher.hash(given.password, stored?.salt ?? unknownSalt);
    const isPassword = systemKeys.isCredential(hash, stored?.passwordHash ?? unknownHash);
    if (stored === undefined) throw new SignInRefused(wrong);
    const { userId, provenSince: since } = stored;
    const provenSince = isPassword ? await this.#takeCode(stored, given.code, origin) : undefined;
    if (provenSince === undefined) {
      await this.#parts.sessions.recordRefusal(userId, origin);
      throw new SignInRefused(wrong);
    }
    return {
      userId,
      provenSince,
      // The password can be checked only now, because older versions accepted passwords without digits and stored only
      // hashes.
      hasWeakPassword: findPasswordMistake(given.password) !== undefined,
      stillProves: (tx) => new PasswordStore(tx).hold(userId, since),
    };
  }

  beginSetup({ user }: UserSession): NewAuthenticator {
    const secret = generateTotpSecret();
    const { sealed } = this.#parts.ceremonies.begin('totp', { userId: user.id, secret });
    return { secret, uri: toTotpUri(secret, nameOf(user)), sealed };
  }

  /** Returns the authenticator that is being set up, to show it again after a mistake. */
  resumeSetup({ user }: UserSession, sealed: string): NewAuthenticator | undefined {
    const ceremony = this.#parts.ceremonies.open<{ userId: string; secret: string }>('totp', sealed);
    if (ceremony === undefined || ceremony.data.userId !== user.id) return undefined;
    const { secret } = ceremony.data;
    return { secret, uri: toTotpUri(secret, nameOf(user)), sealed };
  }

  /**
   * Sets password, authenticator and recovery codes together. If something is wrong, it returns the mistake and changes
   * nothing.
   */
  async completeSetup(
    session: UserSession,
    given: { sealed: string; password: Sensitive<string>; code: string },
  ): Promise<{ readonly recoveryCodes: readonly string[] } | { readonly mistake: string } | 'expired'> {
    const { database, systemKeys, hasher, ceremonies, recoveryCodes, admission, now } = this.#parts;
    const userId = session.user.id;
    const ceremony = ceremonies.open<{ userId: string; secret: string }>('totp', given.sealed);
    if (ceremony === undefined || ceremony.data.userId !== userId) return 'expired';
    const mistake = findPasswordMistake(given.password);
    if (mistake !== undefined) return { mistake };
    const totpStep = findTotpStep(ceremony.data.secret, given.code, now());
    if (totpStep === undefined) return { mistake: wrongCode };
    const salt = hasher.makeSalt();
    const passwordHash = systemKeys.hashCredential(await hasher.hash(given.password, salt));
    if (!(await ceremonies.spend(ceremony))) return 'expired';
    const totpSealed = systemKeys.sealer().seal(ceremony.data.secret, totpPlace(userId));
    return database.forPortal(async (tx) => {
      await admission.require(tx, session);
      await new PasswordStore(tx).replace({ userId, salt, passwordHash, totpSealed, totpStep });
      const store = new UserSessionStore(tx, databaseClock);
      await store.deleteOthers(userId, session.id);
      if (session.hasWeakPassword) await store.delete(session.id);
      await admission.conclude(tx, session);
      return { recoveryCodes: await recoveryCodes.renewInTransaction(tx, userId) };
    });
  }

  /**
   * Checks a code from the app, or a recovery code in place of one. Returns when the accepted proof was set up, or
   * undefined if the code is wrong.
   */
  async #takeCode(stored: StoredPassword & ProvenUser, code: string, origin: Origin): Promise<Date | undefined> {
    const { database, systemKeys, recoveryCodes, sessions, now } = this.#parts;
    const { userId, totpSealed, provenSince } = stored;
    const secret = new Sensitive(systemKeys.sealer().open(totpSealed, totpPlace(userId)));
    const step = findTotpStep(secret.reveal(), code, now());
    if (step !== undefined) {
      const isFirst = await database.forPortal((tx) => new PasswordStore(tx).takeStep(userId, step));
      return isFirst ? provenSince : undefined;
    }
    const madeAt = await recoveryCodes.take(userId, code);
    if (madeAt !== undefined) await sessions.recordChange(userId, origin, 'use_recovery_code');
    return madeAt;
  }
}

function totpPlace(userId: string) {
  return { owner: userId, field: 'totp' };
}
