import type { TenantId } from '../../../core/identity/ids.ts';
import { recordInTransaction } from '../../../platform/audit/record/audit-log.ts';
import type { Database } from '../../../platform/database/database.ts';
import { type DatabaseClock, databaseClock } from '../../../platform/database/database-clock.ts';
import { generateNonce, parseNonce } from '../../../platform/keyring/sign-in/api-key.ts';
import type { SystemKeys } from '../../../platform/keyring/keys/system-keys.ts';
import { memberEvent, MemberStore, noSuchMember } from '../../members/index.ts';
import { SignInLinkStore } from './sign-in-link-store.ts';
import { UserSessionStore } from '../people/user-session-store.ts';
import { UserStore } from '../people/user-store.ts';
import type { User } from '../people/user.ts';

const lifetimeSeconds = 60 * 60;

/**
 * A sign-in method that depends on no other method. An operator creates a link on the command line. It is for the owner
 * of a new tenant, and for users who have lost every other method.
 */
export class SignInLinks {
  readonly #database: Database;
  readonly #systemKeys: SystemKeys;
  readonly #clock: DatabaseClock;

  constructor(parts: { database: Database; systemKeys: SystemKeys; clock?: DatabaseClock }) {
    this.#database = parts.database;
    this.#systemKeys = parts.systemKeys;
    this.#clock = parts.clock ?? databaseClock;
  }

  /**
   * Creates a link for a member, by default the owner. It works once, for an hour, and replaces any earlier one. For a
   * user who has lost every sign-in method, `removesWays` removes the old ones. A link cannot be used to add a method
   * to existing ones, so its use cannot go unnoticed.
   */
  async make(
    tenantId: TenantId,
    memberId: string | undefined,
    { removesWays = false }: { readonly removesWays?: boolean } = {},
  ): Promise<string> {
    const { secret, text } = generateNonce();
    const userId = await this.#database.forTenant(tenantId, async (tx) => {
      const members = new MemberStore(tx, tenantId);
      const member = memberId === undefined ? await members.findOwner() : await members.find(memberId);
      if (member === undefined) throw noSuchMember();
      // The audit record is written first, so that no link exists without one.
      await recordInTransaction(tx, tenantId, 'system', memberEvent(member.id, 'issue_link'));
      return member.userId;
    });
    if (removesWays) await this.#removeWays(userId);
    await this.#database.forPortal((tx) =>
      new SignInLinkStore(tx, this.#clock).replace(userId, this.#systemKeys.hashCredential(secret), lifetimeSeconds),
    );
    return `/portal/links/${text}`;
  }

  /**
   * Removes all sign-in methods and signs the user out everywhere. This is recorded in each of their tenants
   * beforehand.
   */
  async #removeWays(userId: string): Promise<void> {
    const memberships = await this.#database.forPortal((tx) => new UserStore(tx).listMemberships(userId));
    for (const { tenantId, memberId } of memberships) {
      await this.#database.forTenant(tenantId, (tx) =>
        recordInTransaction(tx, tenantId, 'system', memberEvent(memberId, 'change_sign_in')),
      );
    }
    await this.#database.forPortal(async (tx) => {
      const users = new UserStore(tx);
      await users.lock(userId);
      await users.deleteWays(userId);
      await new UserSessionStore(tx, this.#clock).deleteAll(userId);
    });
  }

  /** Returns the user of a link without using it up. */
  async find(text: string): Promise<User | undefined> {
    const hash = this.#hash(text);
    if (hash === undefined) return undefined;
    return this.#database.forPortal(async (tx) => {
      const userId = await new SignInLinkStore(tx, this.#clock).find(hash);
      return userId === undefined ? undefined : new UserStore(tx).find(userId);
    });
  }

  async take(text: string): Promise<string | undefined> {
    const hash = this.#hash(text);
    if (hash === undefined) return undefined;
    return this.#database.forPortal((tx) => new SignInLinkStore(tx, this.#clock).take(hash));
  }

  #hash(text: string): Buffer | undefined {
    const secret = parseNonce(text);
    return secret === undefined ? undefined : this.#systemKeys.hashCredential(secret);
  }
}
