import { DomainError, invalidField } from '../../core/errors/domain-error.ts';
import type { Caller } from '../../core/identity/caller.ts';
import type { Page, PageRequest } from '../../http/pagination.ts';
import { noSingleEntity } from '../../platform/audit/audit-event.ts';
import { type AuditLog, recordInTransaction } from '../../platform/audit/audit-log.ts';
import type { Database } from '../../platform/database/database.ts';
import { type Member, memberEvent, noSuchMember, type Role, roleEvent } from './member.ts';
import { MemberStore } from './member-store.ts';

/** The people of a tenant. They come by invitation. */
export class MemberService {
  readonly #database: Database;
  readonly #audit: AuditLog;

  constructor(parts: { database: Database; audit: AuditLog }) {
    this.#database = parts.database;
    this.#audit = parts.audit;
  }

  async list(caller: Caller, userIds: readonly string[] | undefined, request: PageRequest): Promise<Page<Member>> {
    const page = await this.#database.forTenant(caller.tenantId, (tx) =>
      new MemberStore(tx, caller.tenantId).list(userIds, request),
    );
    await this.#audit.append(caller, memberEvent(noSingleEntity, 'read'));
    return page;
  }

  async get(caller: Caller, id: string): Promise<Member> {
    const member = await this.#database.forTenant(caller.tenantId, (tx) =>
      new MemberStore(tx, caller.tenantId).find(id),
    );
    if (member === undefined) throw noSuchMember();
    await this.#audit.append(caller, memberEvent(id, 'read'));
    return member;
  }

  /** Whoever makes a member the owner makes the owner of before an admin: a tenant always has exactly one. */
  async changeRole(caller: Caller, id: string, role: Role): Promise<Member> {
    return this.#database.forTenant(caller.tenantId, async (tx) => {
      const store = new MemberStore(tx, caller.tenantId);
      // Two who hand the tenant over at once come one after the other, and the second sees what the first did.
      await store.lockTenant();
      const current = await store.lock(id);
      if (current === undefined) throw noSuchMember();
      if (current.role === 'OWNER' && role !== 'OWNER') {
        throw invalidField('role', 'must stay OWNER until another member is made the owner');
      }
      const owner = role === 'OWNER' ? await store.findOwner() : undefined;
      if (owner !== undefined && owner.id !== id) {
        const handedOver = { before: 'OWNER', after: 'ADMIN' } as const;
        await store.updateRole(owner.id, handedOver.after, caller.applicationId);
        await recordInTransaction(tx, caller.tenantId, caller, roleEvent(owner.id, 'update', handedOver));
      }
      await store.updateRole(id, role, caller.applicationId);
      await recordInTransaction(
        tx,
        caller.tenantId,
        caller,
        roleEvent(id, 'update', { before: current.role, after: role }),
      );
      const member = await store.find(id);
      if (member === undefined) throw noSuchMember();
      return member;
    });
  }

  /** Everything the member could do ends with the commit. */
  async delete(caller: Caller, id: string): Promise<void> {
    await this.#database.forTenant(caller.tenantId, async (tx) => {
      const store = new MemberStore(tx, caller.tenantId);
      const member = await store.lock(id);
      if (member === undefined) throw noSuchMember();
      if (member.role === 'OWNER') {
        throw new DomainError('owner-undeletable', 'The owner of a tenant cannot be removed from it.');
      }
      await store.delete(id);
      await recordInTransaction(tx, caller.tenantId, caller, roleEvent(id, 'delete', { before: member.role }));
    });
  }
}
