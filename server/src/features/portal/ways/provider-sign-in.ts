import type { Database, Transaction } from '../../../platform/database/database.ts';
import type { OpenidChecks, OpenidProvider } from '../../../platform/outbound/openid-provider.ts';
import { databaseClock } from '../../../platform/database/database-clock.ts';
import type { Ceremonies } from './ceremonies.ts';
import { beganWithLink } from '../people/confined-session.ts';
import { IdentityStore } from './identity-store.ts';
import type { SignInDestination } from '../frame/sign-in-destination.ts';
import { SignInRefused } from '../people/sign-in-refused.ts';
import type { ProviderJoining } from './provider-joining.ts';
import { UserSessionStore } from '../people/user-session-store.ts';
import type { Origin, ProvenUser, UserSession } from '../people/user.ts';
import type { WayAdmission } from './way-admission.ts';

interface Departure extends OpenidChecks {
  readonly state: string;
  readonly departedAtMs: number;
  /** Undefined if an older version of the vault started the sign-in. */
  readonly destination?: SignInDestination;
  /** The signed-in user who is connecting the provider. */
  readonly connect?: { readonly userId: string; readonly sessionId: string };
}

/** The URL that the browser is sent to, and the state that it returns in a cookie. */
export interface Journey {
  readonly url: string;
  readonly sealed: string;
}

/** The destination after connecting a provider, which starts on the account page. */
const account: SignInDestination = { invitation: undefined, next: '/portal/account' };

/** The maximum difference between the clock of a provider and the vault's clock. */
const skewMs = 60_000;

const notKnown = 'This provider account is not connected to a user. Sign in another way and connect it.';
const failed = 'The provider did not confirm your identity. Try again.';

interface ProviderSignInParts {
  readonly database: Database;
  readonly provider: OpenidProvider;
  readonly ceremonies: Ceremonies;
  readonly admission: WayAdmission;
  readonly joining: ProviderJoining;
}

/**
 * Signs users in with an OpenID provider. A user connects the provider while signed in, and is then identified by
 * issuer and subject. An e-mail address reported by a provider is never proof of being an existing user, because someone
 * who can choose the address at the provider could otherwise sign in to any account here. It can only create a new user,
 * if an operator has allowed its domain. The provider is asked to authenticate users
 * again. If the provider does not confirm this, users are signed in but do not count as freshly authenticated.
 */
export class ProviderSignIn {
  readonly #parts: ProviderSignInParts;

  constructor(parts: ProviderSignInParts) {
    this.#parts = parts;
  }

  get name(): string {
    return this.#parts.provider.name;
  }

  get issuer(): string {
    return this.#parts.provider.issuer;
  }

  begin(destination: SignInDestination): Promise<Journey> {
    return this.#begin({ destination });
  }

  beginConnecting({ id, user }: UserSession): Promise<Journey> {
    return this.#begin({ destination: account, connect: { userId: user.id, sessionId: id } });
  }

  /** Returns the user with this subject, or the user who has just been connected to it. */
  async complete(
    sealed: string | undefined,
    query: string,
    origin: Origin,
  ): Promise<
    ProvenUser & { readonly destination: SignInDestination; readonly isNew: boolean; readonly endsSession: boolean }
  > {
    const departure = this.#parts.ceremonies.open<Departure>('provider', sealed);
    if (departure === undefined) throw new SignInRefused(failed);
    const person = await this.#parts.provider.complete(query, departure.data).catch(() => {
      throw new SignInRefused(failed);
    });
    const { subject, authenticatedAtMs } = person;
    if (!(await this.#parts.ceremonies.spend(departure))) throw new SignInRefused(failed);
    const { connect, destination = account, departedAtMs } = departure.data;
    const endsSession = connect !== undefined && (await this.#connect(connect.sessionId, subject));
    if (connect === undefined) await this.#parts.joining.join(this.issuer, person, origin);
    const found = await this.#parts.database.forPortal((tx) => new IdentityStore(tx).find(this.issuer, subject));
    if (found === undefined || (connect !== undefined && found.userId !== connect.userId))
      throw new SignInRefused(notKnown);
    const isAuthenticated = isSince(departedAtMs, authenticatedAtMs);
    const stillProves = (tx: Transaction) => new IdentityStore(tx).hold(found.userId, this.issuer, subject);
    return {
      ...found,
      isAuthenticated,
      isByProvider: true,
      stillProves,
      destination,
      isNew: connect !== undefined,
      endsSession,
    };
  }

  /**
   * Connects the user of a session to the subject. The session cookie is not sent from another site, so the session is
   * looked up to check that it is still valid. Returns true if the session has ended because it began with a link.
   */
  #connect(sessionId: string, subject: string): Promise<boolean> {
    return this.#parts.database.forPortal(async (tx) => {
      const session = await new UserSessionStore(tx, databaseClock).findById(sessionId);
      if (session === undefined) return false;
      await this.#parts.admission.require(tx, session);
      if (!(await new IdentityStore(tx).insert(session.user.id, this.issuer, subject))) return false;
      await this.#parts.admission.conclude(tx, session);
      return beganWithLink(session);
    });
  }

  async #begin(purpose: Pick<Departure, 'destination' | 'connect'>): Promise<Journey> {
    const state = crypto.randomUUID();
    const { url, nonce, verifier } = await this.#parts.provider.begin(state).catch(() => {
      throw new SignInRefused('The provider cannot be reached. Sign in another way, or try again later.', 503);
    });
    const departure: Departure = { state, nonce, verifier, departedAtMs: Date.now(), ...purpose };
    return { url, sealed: this.#parts.ceremonies.begin('provider', departure).sealed };
  }
}

/** Returns whether the user was authenticated after leaving the vault. */
function isSince(departedAtMs: number, authenticatedAtMs: number | undefined): boolean {
  if (authenticatedAtMs === undefined) return false;
  return authenticatedAtMs >= departedAtMs - skewMs && authenticatedAtMs <= Date.now() + skewMs;
}
