import type { TenantId } from '../../core/identity/ids.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { type ApprovalKind, approvalLifetimeSeconds, type ApprovalRequest, type Approver } from './approval.ts';

type ApprovalRow = Omit<ApprovalRequest, 'approvals'> & {
  readonly approvals: readonly {
    readonly userId: string;
    readonly email: string | null;
    readonly approvedAt: string;
  }[];
};

/** Matches the same members as for exports, except that requesters cannot approve their own requests. */
const mayApprove = `m.role in ('OWNER', 'ADMIN') and coalesce(m.modified_at, m.created_at) <= r.requested_at
  and m.user_id <> r.requested_by`;
/** While the request is pending, an approval becomes void when the approver's membership ends. */
const standing = `approval_votes v left join members m on m.tenant_id = v.tenant_id and m.user_id = v.user_id
  where v.tenant_id = r.tenant_id and v.request_id = r.id and (r.outcome is not null or (${mayApprove}))`;
const isOpen = 'r.outcome is null and r.expires_at > now()';

const columns = `r.id, r.kind, r.subject_id as "subjectId", r.application_id as "applicationId", r.change, r.basis,
  r.requested_by as "requestedBy", r.requested_key as "requestedKey", r.requested_at as "requestedAt",
  r.expires_at as "expiresAt", r.approvals_needed as "approvalsNeeded", r.decided_by as "decidedBy",
  r.decided_at as "decidedAt",
  coalesce(r.outcome, case when r.expires_at <= now() then 'expired' else 'pending' end) as status,
  coalesce((select json_agg(json_build_object('userId', v.user_id, 'approvedAt', v.approved_at,
    'email', (select email from users where users.id = v.user_id)) order by v.approved_at) from ${standing}), '[]') as approvals`;

export interface NewRequest {
  readonly id: string;
  readonly kind: ApprovalKind;
  readonly subjectId: string;
  readonly applicationId: string | null;
  readonly change: object;
  readonly basis: string;
  readonly requestedBy: string;
  readonly requestedKey: string | null;
  readonly approvalsNeeded: number;
}

/** The numbers of pending requests: all of them, those of keys, and those that count towards the requester's limit. */
interface Pending {
  readonly all: number;
  readonly ofKeys: number;
  readonly own: number;
}

/**
 * The member on whose authority a key acts, as determined by `toAuthority` in the members feature. Null for the
 * operator.
 */
const granterOfKey = (keyId: string) => `(select coalesce(k.granted_by, a.granted_by) from application_keys k
  join applications a on a.tenant_id = k.tenant_id and a.id = k.application_id
  where k.tenant_id = $1 and k.id = ${keyId})`;

export class ApprovalStore {
  readonly #tx: Transaction;
  readonly #tenantId: TenantId;

  constructor(tx: Transaction, tenantId: TenantId) {
    this.#tx = tx;
    this.#tenantId = tenantId;
  }

  /**
   * Returns true if the tenant requires approvals. An unknown value stored by an earlier version counts as the stricter
   * one.
   */
  async isDemanded(): Promise<boolean> {
    const rows = await this.#tx.query({
      text: `select from tenants where id = $1 and coalesce(settings ->> 'approve_plaintext', 'false') <> 'false'`,
      values: [this.#tenantId],
    });
    return rows.length > 0;
  }

  async insert(request: NewRequest): Promise<void> {
    await this.#tx.query({
      text: `insert into approval_requests (tenant_id, id, kind, subject_id, application_id, change, basis, requested_by,
          requested_key, approvals_needed, expires_at, granted_by)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, now() + make_interval(secs => $11), ${granterOfKey('$9')})`,
      values: [
        this.#tenantId,
        request.id,
        request.kind,
        request.subjectId,
        request.applicationId,
        JSON.stringify(request.change),
        request.basis,
        request.requestedBy,
        request.requestedKey,
        request.approvalsNeeded,
        approvalLifetimeSeconds,
      ],
    });
  }

  /**
   * Returns the numbers of pending requests. `own` are those of the requester. For a key, these are all requests of keys
   * that act on the same authority, because a key can create applications and use them as requesters.
   */
  async countPending({
    requestedBy,
    requestedKey,
  }: Pick<NewRequest, 'requestedBy' | 'requestedKey'>): Promise<Pending> {
    const [row] = await this.#tx.query<Pending>({
      text: `select count(*)::integer as all, (count(requested_key))::integer as "ofKeys",
          (count(*) filter (where case when $3::uuid is null then requested_key is null and requested_by = $2
            else requested_key is not null and granted_by is not distinct from ${granterOfKey('$3')} end))::integer as own
        from approval_requests r where tenant_id = $1 and ${isOpen}`,
      values: [this.#tenantId, requestedBy, requestedKey],
    });
    return row ?? { all: 0, ofKeys: 0, own: 0 };
  }

  async find(id: string): Promise<ApprovalRequest | undefined> {
    const [row] = await this.#tx.query<ApprovalRow>({
      text: `select ${columns} from approval_requests r where r.tenant_id = $1 and r.id = $2`,
      values: [this.#tenantId, id],
    });
    return row === undefined ? undefined : toRequest(row);
  }

  /**
   * Prevents others from deciding or withdrawing the request before this transaction ends. Returns false if it has
   * already ended.
   */
  async lockOpen(id: string): Promise<boolean> {
    const rows = await this.#tx.query({
      text: `select from approval_requests r where r.tenant_id = $1 and r.id = $2 and ${isOpen} for update`,
      values: [this.#tenantId, id],
    });
    return rows.length > 0;
  }

  /** Returns the newest request of each subject that has one. */
  async listLatest(subjectIds: readonly string[]): Promise<ApprovalRequest[]> {
    if (subjectIds.length === 0) return [];
    const rows = await this.#tx.query<ApprovalRow>({
      text: `select distinct on (r.subject_id) ${columns} from approval_requests r
        where r.tenant_id = $1 and r.subject_id = any($2) order by r.subject_id, r.requested_at desc, r.id desc`,
      values: [this.#tenantId, subjectIds],
    });
    return rows.map(toRequest);
  }

  async hasPending(kind: ApprovalKind, subjectId: string): Promise<boolean> {
    const rows = await this.#tx.query({
      text: `select from approval_requests r
        where r.tenant_id = $1 and r.kind = $2 and r.subject_id = $3 and ${isOpen}`,
      values: [this.#tenantId, kind, subjectId],
    });
    return rows.length > 0;
  }

  /**
   * Lists requests, pending ones first, then newest first. Pending requesters take turns, so that one with many
   * requests does not push those of others to a later page. Keys that act on the same authority count as one requester,
   * as in `countPending`.
   */
  async list({
    limit,
    offset,
  }: {
    limit: number;
    offset: number;
  }): Promise<(ApprovalRequest & { readonly requesterName: string | null })[]> {
    const rows = await this.#tx.query<ApprovalRow & { requesterName: string | null }>({
      text: `select ${columns}, coalesce((select email from users where users.id = r.requested_by),
          (select name from applications a where a.tenant_id = r.tenant_id and a.id = r.requested_by)) as "requesterName"
        from approval_requests r where r.tenant_id = $1 order by (${isOpen}) desc,
          case when ${isOpen} then row_number() over (partition by r.requested_key is null, (${isOpen}),
            case when r.requested_key is null then r.requested_by else r.granted_by end
            order by r.requested_at desc, r.id desc) end, r.requested_at desc, r.id desc limit $2 offset $3`,
      values: [this.#tenantId, limit, offset],
    });
    return rows.map((row) => ({ ...toRequest(row), requesterName: row.requesterName }));
  }

  /**
   * Stores an approval. Returns false if the user may not approve the request, has already done so, or signed in with a
   * method that is newer than the request.
   */
  async vote(id: string, { userId, provenSince }: Approver): Promise<boolean> {
    const rows = await this.#tx.query({
      text: `with open as (
          select r.tenant_id, r.id from approval_requests r
          join members m on m.tenant_id = r.tenant_id and m.user_id = $3
          where r.tenant_id = $1 and r.id = $2 and ${isOpen} and ${mayApprove}
            and $4::timestamptz <= r.requested_at for share of m)
        insert into approval_votes (tenant_id, request_id, user_id) select tenant_id, id, $3 from open
        on conflict do nothing returning 1`,
      values: [this.#tenantId, id, userId, provenSince],
    });
    return rows.length === 1;
  }

  /** Returns true if the user may refuse requests. The current role counts because refusing is harmless. */
  async mayRefuse(userId: string): Promise<boolean> {
    const rows = await this.#tx.query({
      text: `select from members m where m.tenant_id = $1 and m.user_id = $2 and m.role in ('OWNER', 'ADMIN') for share`,
      values: [this.#tenantId, userId],
    });
    return rows.length > 0;
  }

  async end(
    id: string,
    outcome: 'approved' | 'refused' | 'expired' | 'stale',
    decidedBy: string | null,
  ): Promise<void> {
    await this.#tx.query({
      text: `update approval_requests set outcome = $3, decided_by = $4, decided_at = now()
        where tenant_id = $1 and id = $2 and outcome is null`,
      values: [this.#tenantId, id, outcome, decidedBy],
    });
  }

  /** Deletes pending requests for the subject, because a newer change or request replaces them. */
  async withdraw(kind: ApprovalKind, subjectId: string): Promise<void> {
    await this.#tx.query({
      text: 'delete from approval_requests where tenant_id = $1 and kind = $2 and subject_id = $3 and outcome is null',
      values: [this.#tenantId, kind, subjectId],
    });
  }

  /** Deletes pending requests for a deleted subject, including those for the keys of a deleted application. */
  async withdrawAll(subjectId: string): Promise<void> {
    await this.#tx.query({
      text: `delete from approval_requests
        where tenant_id = $1 and (subject_id = $2 or application_id = $2) and outcome is null`,
      values: [this.#tenantId, subjectId],
    });
  }

  async listExpired(limit: number): Promise<string[]> {
    const rows = await this.#tx.query<{ id: string }>({
      text: `select id from approval_requests where tenant_id = $1 and outcome is null and expires_at <= now()
        order by expires_at limit $2`,
      values: [this.#tenantId, limit],
    });
    return rows.map(({ id }) => id);
  }

  /** Expires a request. Returns true for exactly one caller. */
  async expire(id: string): Promise<boolean> {
    const rows = await this.#tx.query({
      text: `update approval_requests set outcome = 'expired', decided_at = now()
        where tenant_id = $1 and id = $2 and outcome is null and expires_at <= now() returning 1`,
      values: [this.#tenantId, id],
    });
    return rows.length === 1;
  }

  /**
   * Deletes requests that were decided long ago. The audit log keeps the decisions; this list only shows recent ones.
   */
  async forgetDecided(days: number, limit: number): Promise<number> {
    const rows = await this.#tx.query({
      text: `delete from approval_requests where tenant_id = $1 and id = any (array(
          select id from approval_requests where tenant_id = $1 and decided_at < now() - make_interval(days => $2)
          limit $3)) returning 1`,
      values: [this.#tenantId, days, limit],
    });
    return rows.length;
  }
}

function toRequest(row: ApprovalRow): ApprovalRequest {
  return {
    ...row,
    approvals: row.approvals.map(({ approvedAt, ...given }) => ({ ...given, approvedAt: new Date(approvedAt) })),
  };
}
