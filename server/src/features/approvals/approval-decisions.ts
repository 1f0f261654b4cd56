import { DomainError } from '../../core/errors/domain-error.ts';
import type { Caller, UserCaller } from '../../core/identity/caller.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import { recordInTransaction } from '../../platform/audit/record/audit-log.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { requireOpenTenant } from '../../platform/database/open-tenant.ts';
import {
  type ApprovalDescription,
  approvalEvent,
  type ApprovalEffect,
  type ApprovalKind,
  type ApprovalRequest,
  type Approver,
  noSuchRequest,
  staleRequest,
} from './approval.ts';
import { ApprovalStore } from './approval-store.ts';

/**
 * This exceeds the maximum number of pending requests and leaves space for some decided ones. One requester must not
 * push the requests of others off the list.
 */
const listMax = 250;
/** A request can contain 240 KB of rules, so a single page with all requests would take 48 MB. */
const pageSize = 20;
/** The maximum number of pages with requests. */
export const approvalPagesMax = Math.ceil(listMax / pageSize);
const rememberedDays = 90;

export type ApprovalEffects = Readonly<Record<ApprovalKind, ApprovalEffect>>;

/**
 * Finds the requester with their current rights. Returns undefined if they have left, or if their key has been revoked
 * or has expired.
 */
export type RequesterFinder = (
  tx: Transaction,
  request: Pick<ApprovalRequest, 'requestedBy' | 'requestedKey'>,
  approver: UserCaller,
) => Promise<Caller | undefined>;

export type ListedRequest = ApprovalRequest & {
  readonly requesterName: string | null;
  readonly description: ApprovalDescription;
};

export interface RequestPage {
  readonly requests: readonly ListedRequest[];
  readonly hasMore: boolean;
}

interface ApprovalDecisionsParts {
  readonly database: Database;
  readonly effects: ApprovalEffects;
  readonly findRequester: RequesterFinder;
}

/** Decides requests. Only signed-in people can approve, because a key does not prove who is using it. */
export class ApprovalDecisions {
  readonly #parts: ApprovalDecisionsParts;

  constructor(parts: ApprovalDecisionsParts) {
    this.#parts = parts;
  }

  /** Lists one page of requests with their descriptions, pending ones first. */
  list(tenantId: TenantId, page: number): Promise<RequestPage> {
    return this.#parts.database.forTenant(tenantId, async (tx) => {
      const listed: ListedRequest[] = [];
      const offset = (page - 1) * pageSize;
      // Reading one more row than fits on the page shows whether there is a next page.
      const limit = Math.min(pageSize + 1, listMax - offset);
      const found = await new ApprovalStore(tx, tenantId).list({ limit, offset });
      for (const request of found.slice(0, pageSize)) {
        listed.push({
          ...request,
          description: await this.#parts.effects[request.kind].describe(tx, tenantId, request),
        });
      }
      return { requests: listed, hasMore: found.length > pageSize };
    });
  }

  /**
   * Adds an approval. Each person can approve once. The last required approval puts the change into force in the same
   * transaction.
   */
  async approve(caller: UserCaller, id: string, provenSince: Date): Promise<void> {
    const { tenantId, userId } = caller;
    const stale = await this.#parts.database.forTenant(tenantId, async (tx) => {
      const store = new ApprovalStore(tx, tenantId);
      await this.#lock(tx, tenantId, id);
      await requireOpenTenant(tx, tenantId);
      const approver = { userId, provenSince };
      if (!(await store.vote(id, approver))) throw cannotApprove(await store.find(id), approver);
      const request = await store.find(id);
      if (request === undefined) throw noSuchRequest();
      const { requestedBy } = request;
      await recordInTransaction(tx, tenantId, caller, approvalEvent(request, 'approve', { requester: requestedBy }));
      if (request.approvals.length < request.approvalsNeeded) return undefined;
      return this.#putIntoForce(tx, caller, request);
    });
    if (stale !== undefined) throw stale;
  }

  /** Refuses a request. Any member who administers the tenant can do this, even the requester. */
  async refuse(caller: UserCaller, id: string): Promise<void> {
    const { tenantId, userId } = caller;
    await this.#parts.database.forTenant(tenantId, async (tx) => {
      const store = new ApprovalStore(tx, tenantId);
      const request = await this.#lock(tx, tenantId, id);
      await requireOpenTenant(tx, tenantId);
      if (!(await store.mayRefuse(userId))) throw noSuchRequest();
      await store.end(id, 'refused', userId);
      const { requestedBy } = request;
      await recordInTransaction(tx, tenantId, caller, approvalEvent(request, 'refuse', { requester: requestedBy }));
      await this.#parts.effects[request.kind].discard(tx, tenantId, request, caller);
    });
  }

  /**
   * Expires requests that were not decided in time, and deletes those that were decided long ago. Returns how many it
   * found.
   */
  async sweep(tx: Transaction, tenantId: TenantId, limit: number): Promise<number> {
    const store = new ApprovalStore(tx, tenantId);
    const expired = await store.listExpired(limit);
    for (const id of expired) {
      const request = await store.find(id);
      if (request === undefined) continue;
      await this.#parts.effects[request.kind].lock(tx, tenantId, request);
      if (!(await store.expire(id))) continue;
      const { requestedBy } = request;
      await recordInTransaction(tx, tenantId, 'system', approvalEvent(request, 'expire', { requester: requestedBy }));
      await this.#parts.effects[request.kind].discard(tx, tenantId, request, 'system');
    }
    return Math.max(expired.length, await store.forgetDecided(rememberedDays, limit));
  }

  /** Locks the subject of the change before the request. Withdrawing a request takes the locks in the same order. */
  async #lock(tx: Transaction, tenantId: TenantId, id: string): Promise<ApprovalRequest> {
    const store = new ApprovalStore(tx, tenantId);
    const request = await store.find(id);
    if (request === undefined) throw noSuchRequest();
    await this.#parts.effects[request.kind].lock(tx, tenantId, request);
    if (await store.lockOpen(id)) return request;
    if ((await store.find(id)) === undefined) throw noSuchRequest();
    throw new DomainError('forbidden', 'This request has already been decided, or has expired.');
  }

  /**
   * Puts the change into force. A request that can no longer be applied is ended, and its approvals stay in the log. In
   * that case, the reason is returned.
   */
  async #putIntoForce(
    tx: Transaction,
    approver: UserCaller,
    request: ApprovalRequest,
  ): Promise<DomainError | undefined> {
    const { tenantId } = approver;
    const store = new ApprovalStore(tx, tenantId);
    const effect = this.#parts.effects[request.kind];
    try {
      const requester = await this.#parts.findRequester(tx, request, approver);
      if (requester === undefined) throw staleRequest('whoever requested it has lost the right to');
      await effect.apply(tx, { request, requester, approver });
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      await store.end(request.id, 'stale', null);
      await effect.discard(tx, tenantId, request, approver);
      return error;
    }
    await store.end(request.id, 'approved', approver.userId);
    return undefined;
  }
}

function cannotApprove(found: ApprovalRequest | undefined, { userId, provenSince }: Approver): DomainError {
  if (found === undefined) return noSuchRequest();
  if (found.requestedBy === userId) {
    return new DomainError('forbidden', 'You requested this change yourself. Another owner or admin must approve it.');
  }
  if (found.approvals.some((given) => given.userId === userId)) {
    return new DomainError('forbidden', 'You have already approved this request. Another member must approve it too.');
  }
  if (provenSince > found.requestedAt) {
    return new DomainError(
      'forbidden',
      'Your sign-in method was set up after this change was requested, so you cannot approve it with that method. Sign in with an older method, ask another member to approve, or have the change requested again.',
    );
  }
  return new DomainError(
    'forbidden',
    'Only members who were already owners or admins when this change was requested can approve it.',
  );
}
