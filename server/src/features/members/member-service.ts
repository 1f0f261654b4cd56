import { DomainError, invalidField } from '../../core/errors/domain-error.ts';
import { actorIdOf, type Caller, type UserCaller } from '../../core/identity/caller.ts';
import type { Page, PageRequest } from '../../http/parameters/pagination.ts';
import { noSingleEntity } from '../../platform/audit/record/audit-event.ts';
import { type AuditLog, recordInTransaction } from '../../platform/audit/record/audit-log.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { lockTenant } from '../../platform/database/open-tenant.ts';
import { ApprovalStore, requestApproval, type WithApproval, withApprovals } from '../approvals/index.ts';
import { requireOwnerAuthority } from './authority.ts';
import { endKeysOf } from './end-keys.ts';
import { type Member, memberEvent, noSuchMember, type Role, roleDetails, roleEvent } from './member.ts';
import { MemberStore } from './member-store.ts';
import { isPromotion } from './promotion.ts';

/** A member, with the last approval request for a role, if any. */
export type ShownMember = WithApproval<Member>;

/** Manages the members of a tenant. They join by invitation. */
export class MemberService {
  readonly #database: Database;
  readonly #audit: AuditLog;

  constructor(parts: { database: Database; audit: AuditLog }) {
    this.#database = parts.database;
    this.#audit = parts.audit;
  }

  async list(caller: Caller, userIds: readonly string[] | undefined, request: PageRequest): Promise<Page<ShownMember>> {
    const page = await this.#database.forTenant(caller.tenantId, async (tx) => {
      const { totalItems, items } = await new MemberStore(tx, caller.tenantId).list(userIds, request);
      return { totalItems, items: await withApprovals(tx, caller.tenantId, items) };
    });
    await this.#audit.append(caller, memberEvent(noSingleEntity, 'read'));
    return page;
  }

  async get(caller: Caller, id: string): Promise<ShownMember> {
    const member = await this.#database.forTenant(caller.tenantId, (tx) => getShown(tx, caller, id));
    await this.#audit.append(caller, memberEvent(id, 'read'));
    return member;
  }

  /**
   * Changes a role. A tenant always has exactly one owner, so a new owner makes the previous one an admin. A role that
   * requires approval is stored as a request. A change that takes effect withdraws a pending request.
   */
  async changeRole(caller: Caller, id: string, role: Role): Promise<ShownMember> {
    return this.#database.forTenant(caller.tenantId, async (tx) => {
      const store = new MemberStore(tx, caller.tenantId);
      // Concurrent ownership transfers are serialized, and the second sees the result of the first.
      await lockTenant(tx, caller.tenantId);
      const current = await store.lock(id);
      if (current === undefined) throw noSuchMember();
      const change = { before: current.role, after: role };
      await requireChangeable(tx, caller, change);
      const approvals = new ApprovalStore(tx, caller.tenantId);
      if (isPromotion(current.role, role) && (await approvals.isDemanded())) {
        await requestApproval(tx, caller, {
          kind: 'role',
          subjectId: id,
          change: { role },
          basis: current.role,
          details: roleDetails(change),
        });
      } else {
        await approvals.withdraw('role', id);
        await putRole(tx, { id, ...change, actor: caller });
        if (role === 'READ_ONLY') await endKeysOf(tx, caller, current.userId);
      }
      return getShown(tx, caller, id);
    });
  }

  /** Removes a member, who loses all access as soon as this commits. */
  async delete(caller: Caller, id: string): Promise<void> {
    await this.#database.forTenant(caller.tenantId, async (tx) => {
      const store = new MemberStore(tx, caller.tenantId);
      const member = await store.lock(id);
      if (member === undefined) throw noSuchMember();
      if (member.role === 'OWNER') {
        throw new DomainError('owner-undeletable', 'The owner of a tenant cannot be removed from it.');
      }
      await store.delete(id);
      await new ApprovalStore(tx, caller.tenantId).withdrawAll(id);
      await recordInTransaction(tx, caller.tenantId, caller, roleEvent(id, 'delete', { before: member.role }));
      await endKeysOf(tx, caller, member.userId);
    });
  }
}

/** Throws unless the caller may make this role change. */
export async function requireChangeable(
  tx: Transaction,
  caller: Caller,
  { before, after }: { before: Role; after: Role },
): Promise<void> {
  if (before === 'OWNER' && after !== 'OWNER') {
    throw invalidField('role', 'must stay OWNER until another member becomes the owner');
  }
  if (after === 'OWNER') await requireOwnerAuthority(tx, caller, 'make another member the owner');
}

interface NewRole {
  readonly id: string;
  readonly before: Role;
  readonly after: Role;
  /** The caller who changes the role or approves the change. */
  readonly actor: Caller | UserCaller;
  /** The requester of the change that the actor approves. */
  readonly requester?: string;
}

/** Changes and records the role, and that of the previous owner. The caller must hold the locks. */
export async function putRole(tx: Transaction, { id, before, after, actor, requester }: NewRole): Promise<void> {
  const store = new MemberStore(tx, actor.tenantId);
  const modifiedBy = requester ?? actorIdOf(actor);
  const put = async (memberId: string, change: { before: Role; after: Role }) => {
    await store.updateRole(memberId, change.after, modifiedBy);
    const event = roleEvent(memberId, 'update', change);
    const details = { ...event.details, ...(requester === undefined ? {} : { requester }) };
    await recordInTransaction(tx, actor.tenantId, actor, { ...event, details });
  };
  const owner = after === 'OWNER' ? await store.findOwner() : undefined;
  if (owner !== undefined && owner.id !== id) await put(owner.id, { before: 'OWNER', after: 'ADMIN' });
  await put(id, { before, after });
}

async function getShown(tx: Transaction, caller: Caller, id: string): Promise<ShownMember> {
  const member = await new MemberStore(tx, caller.tenantId).find(id);
  const [shown] = await withApprovals(tx, caller.tenantId, member === undefined ? [] : [member]);
  if (shown === undefined) throw noSuchMember();
  return shown;
}
