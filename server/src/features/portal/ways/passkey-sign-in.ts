import type { Database, Transaction } from '../../../platform/database/database.ts';
import type { Passkeys } from '../../../platform/keyring/sign-in/passkeys.ts';
import type { Ceremonies } from './ceremonies.ts';
import { PasskeyStore } from './passkey-store.ts';
import type { PasskeyPrompt } from '../frame/sign-in-page.ts';
import { SignInRefused } from '../people/sign-in-refused.ts';
import type { UserSessions } from '../people/user-sessions.ts';
import type { WayAdmission } from './way-admission.ts';
import { nameOf, type Origin, type ProvenUser, type UserSession } from '../people/user.ts';

const passkeysMax = 20;
const wrong = 'The passkey is unknown, or the request timed out.';

interface PasskeySignInParts {
  readonly database: Database;
  readonly passkeys: Passkeys;
  readonly ceremonies: Ceremonies;
  readonly sessions: UserSessions;
  readonly admission: WayAdmission;
}

/** Signs users in with a passkey, and adds passkeys. */
export class PasskeySignIn {
  readonly #parts: PasskeySignInParts;

  constructor(parts: PasskeySignInParts) {
    this.#parts = parts;
  }

  async begin(): Promise<PasskeyPrompt> {
    const { options, challenge } = await this.#parts.passkeys.ask();
    return { options, sealed: this.#parts.ceremonies.begin('passkey', { challenge }).sealed };
  }

  /** Returns the user whose passkey has signed the challenge. Each challenge works once. */
  async complete(given: { sealed: string; credential: string }, origin: Origin): Promise<ProvenUser> {
    const ceremony = this.#parts.ceremonies.open<{ challenge: string }>('passkey', given.sealed);
    const id = this.#parts.passkeys.readId(given.credential);
    if (ceremony === undefined || id === undefined) throw new SignInRefused(wrong);
    const known = await this.#parts.database.forPortal((tx) => new PasskeyStore(tx).find(id));
    if (known === undefined) throw new SignInRefused(wrong);
    const signCount = await this.#parts.passkeys.verify(given.credential, ceremony.data.challenge, known);
    if (signCount === undefined || !(await this.#parts.ceremonies.spend(ceremony))) {
      await this.#parts.sessions.recordRefusal(known.userId, origin);
      throw new SignInRefused(wrong);
    }
    const stillProves = (tx: Transaction) => new PasskeyStore(tx).noteUse(id, signCount);
    return { userId: known.userId, provenSince: known.provenSince, stillProves };
  }

  async beginAdding({ user }: UserSession): Promise<PasskeyPrompt> {
    const known = await this.#parts.database.forPortal((tx) => new PasskeyStore(tx).listIds(user.id));
    const { options, challenge } = await this.#parts.passkeys.askForNew({ id: user.id, name: nameOf(user) }, known);
    return { options, sealed: this.#parts.ceremonies.begin('new-passkey', { challenge, userId: user.id }).sealed };
  }

  async completeAdding(
    session: UserSession,
    given: { sealed: string; credential: string; name: string | undefined },
  ): Promise<boolean> {
    const { user } = session;
    const ceremony = this.#parts.ceremonies.open<{ challenge: string; userId: string }>('new-passkey', given.sealed);
    if (ceremony === undefined || ceremony.data.userId !== user.id) return false;
    const passkey = await this.#parts.passkeys.verifyNew(given.credential, ceremony.data.challenge);
    if (passkey === undefined || !(await this.#parts.ceremonies.spend(ceremony))) return false;
    return this.#parts.database.forPortal(async (tx) => {
      await this.#parts.admission.require(tx, session);
      const store = new PasskeyStore(tx);
      if ((await store.listIds(user.id)).length >= passkeysMax) return false;
      if (!(await store.insert(user.id, passkey, given.name))) return false;
      await this.#parts.admission.conclude(tx, session);
      return true;
    });
  }
}
