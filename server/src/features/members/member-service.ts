import { DomainError, invalidField } from '../../core/errors/domain-error.ts';
import { actorIdOf, type Caller } from '../../core/identity/caller.ts';
import type { Page, PageRequest } from '../../http/pagination.ts';
import { noSingleEntity } from '../../platform/audit/audit-event.ts';
import { type AuditLog, recordInTransaction } from '../../platform/audit/audit-log.ts';
import type { Database } from '../../platform/database/database.ts';
import { type Member, memberEvent, noSuchMember, type Role, roleEvent } from './member.ts';
import { MemberStore } from './member-store.ts';

/** The members of a tenant. They join by invitation. */
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

  /** Making a member the owner makes the previous owner an admin: a tenant always has exactly one owner. */
  async changeRole(caller: Caller, id: string, role: Role): Promise<Member> {
    return this.#database.forTenant(caller.tenantId, async (tx) => {
      const store = new MemberStore(tx, caller.tenantId);
      // Concurrent ownership transfers are serialized, and the second sees the result of the first.
      await store.lockTenant();
      const current = await store.lock(id);
      if (current === undefined) throw noSuchMember();
      if (current.role === 'OWNER' && role !== 'OWNER') {
        throw invalidField('role', 'must stay OWNER until another member becomes the owner');
      }
      if (role === 'OWNER') requireOwner(caller);
      const owner = role === 'OWNER' ? await store.findOwner() : undefined;
      if (owner !== undefined && owner.id !== id) {
        const handedOver = { before: 'OWNER', after: 'ADMIN' } as const;
        await store.updateRole(owner.id, handedOver.after, actorIdOf(caller));
        await recordInTransaction(tx, caller.tenantId, caller, roleEvent(owner.id, 'update', handedOver));
      }
      await store.updateRole(id, role, actorIdOf(caller));
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

  /** The member loses all access with the commit. */
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

/** A member who is not the owner cannot take the tenant from them. An application has this right from its permissions. */
function requireOwner(caller: Caller): void {
  if ('userId' in caller && caller.role !== 'OWNER')
    throw new DomainError('forbidden', 'Only the owner can make another member the owner.');
}
