import type { TenantId } from '../../core/identity/ids.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { sumTokenCounts } from '../tokens/index.ts';
import type { Approval, TokenExport } from './token-export.ts';

interface ExportRow {
  readonly id: string;
  readonly recipient_kind: 'age' | 'pgp';
  readonly recipient: string;
  readonly fingerprint: string;
  readonly token_type: string | null;
  readonly container: string | null;
  readonly requested_from: string;
  readonly requested_at: Date;
  readonly expires_at: Date;
  readonly approvals_needed: number;
  readonly approvals: readonly (Omit<Approval, 'approvedAt' | 'memberSince'> & {
    readonly approvedAt: string;
    readonly memberSince: string;
  })[];
  readonly status: TokenExport['status'];
  readonly tokens: number | null;
}

const mayRefuse = `m.role in ('OWNER', 'ADMIN')`;
/**
 * Matches the members who may approve: those who had a suitable role when the export was requested. Nobody can be
 * promoted for this export. `modified_at` of a member changes only with the role.
 */
const mayApprove = `${mayRefuse} and coalesce(m.modified_at, m.created_at) <= e.requested_at`;
/** The approvals that count. An approval becomes void when the approver's membership ends. */
const standing = `token_export_approvals a join members m on m.tenant_id = a.tenant_id and m.user_id = a.user_id
  where a.tenant_id = e.tenant_id and a.export_id = e.id and ${mayApprove}`;
const isOpen = 'e.started_at is null and e.refused_at is null and e.expires_at > now()';
const isApproved = `(select count(*) from ${standing}) >= e.approvals_needed`;

const columns = `e.id, e.recipient_kind, e.recipient, e.fingerprint, e.token_type, e.container, e.requested_from,
  e.requested_at, e.expires_at, e.approvals_needed, e.tokens::float8 as tokens,
  coalesce((select json_agg(json_build_object('userId', a.user_id, 'approvedAt', a.approved_at, 'memberSince', m.created_at,
    'email', (select email from users where users.id = a.user_id)) order by a.approved_at) from ${standing}), '[]') as approvals,
  case when e.finished_at is not null then 'finished' when e.started_at is not null then 'started'
    when e.refused_at is not null then 'refused' when e.expires_at <= now() then 'expired'
    when ${isApproved} then 'approved' else 'waiting' end as status`;

export class TokenExportStore {
  readonly #tx: Transaction;
  readonly #tenantId: TenantId;

  constructor(tx: Transaction, tenantId: TenantId) {
    this.#tx = tx;
    this.#tenantId = tenantId;
  }

  async insert(
    wish: Pick<TokenExport, 'id' | 'recipient' | 'filter' | 'requestedFrom'>,
    limits: { readonly lifetimeSeconds: number; readonly productionApprovals: number },
  ): Promise<void> {
    const { id, recipient, filter, requestedFrom } = wish;
    await this.#tx.query({
      text: `insert into token_exports (tenant_id, id, recipient_kind, recipient, fingerprint, token_type, container,
          requested_from, expires_at, approvals_needed)
        select $1, $2, $3, $4, $5, $6, $7, $8, now() + make_interval(secs => $9),
          case when type = 'production' then $10::smallint else 0 end
        from tenants where id = $1`,
      values: [
        this.#tenantId,
        id,
        recipient.kind,
        recipient.text,
        recipient.fingerprint,
        filter.type,
        filter.container,
        requestedFrom,
        limits.lifetimeSeconds,
        limits.productionApprovals,
      ],
    });
  }

  async find(id: string): Promise<TokenExport | undefined> {
    const [row] = await this.#tx.query<ExportRow>({
      text: `select ${columns} from token_exports e where e.tenant_id = $1 and e.id = $2`,
      values: [this.#tenantId, id],
    });
    return row === undefined ? undefined : toTokenExport(row);
  }

  /** Lists exports, newest first. */
  async list(limit: number): Promise<TokenExport[]> {
    const rows = await this.#tx.query<ExportRow>({
      text: `select ${columns} from token_exports e where e.tenant_id = $1 order by e.requested_at desc limit $2`,
      values: [this.#tenantId, limit],
    });
    return rows.map(toTokenExport);
  }

  /**
   * Stores an approval. Returns false if the export is no longer open, or if the user may not approve it, has already
   * done so, or signed in with a method that is newer than the request.
   */
  async approve(id: string, { userId, provenSince }: { userId: string; provenSince: Date }): Promise<boolean> {
    const rows = await this.#tx.query({
      text: `with open as (
          select e.tenant_id, e.id from token_exports e join members m on m.tenant_id = e.tenant_id and m.user_id = $3
          where e.tenant_id = $1 and e.id = $2 and ${isOpen} and ${mayApprove}
            and $4::timestamptz <= e.requested_at for share of e, m)
        insert into token_export_approvals (tenant_id, export_id, user_id) select tenant_id, id, $3 from open
        on conflict do nothing returning 1`,
      values: [this.#tenantId, id, userId, provenSince],
    });
    return rows.length === 1;
  }

  /**
   * Refuses an export. A user only needs a suitable role at present, because refusing is harmless. A null user stands
   * for the operator.
   */
  async refuse(id: string, userId: string | null): Promise<boolean> {
    const rows = await this.#tx.query({
      text: `update token_exports e set refused_at = now() where e.tenant_id = $1 and e.id = $2 and ${isOpen}
        and ($3::uuid is null or exists (select from members m where m.tenant_id = $1 and m.user_id = $3 and ${mayRefuse}))
        returning 1`,
      values: [this.#tenantId, id, userId],
    });
    return rows.length === 1;
  }

  /** Starts an export. Returns true for exactly one caller, and only while the export is open and approved. */
  async start(id: string): Promise<boolean> {
    const rows = await this.#tx.query({
      text: `update token_exports e set started_at = now()
        where e.tenant_id = $1 and e.id = $2 and ${isOpen} and ${isApproved} returning 1`,
      values: [this.#tenantId, id],
    });
    return rows.length === 1;
  }

  async finish(id: string, tokens: number): Promise<void> {
    await this.#tx.query({
      text: 'update token_exports set finished_at = now(), tokens = $3 where tenant_id = $1 and id = $2',
      values: [this.#tenantId, id, tokens],
    });
  }

  /** Returns the number of tokens that would be exported now. */
  countTokens(filter: TokenExport['filter']): Promise<number> {
    return sumTokenCounts(this.#tx, this.#tenantId, filter);
  }
}

function toTokenExport(row: ExportRow): TokenExport {
  return {
    id: row.id,
    recipient: { kind: row.recipient_kind, text: row.recipient, fingerprint: row.fingerprint },
    filter: { type: row.token_type, container: row.container },
    requestedFrom: row.requested_from,
    requestedAt: row.requested_at,
    expiresAt: row.expires_at,
    approvalsNeeded: row.approvals_needed,
    approvals: row.approvals.map((approval) => ({
      ...approval,
      approvedAt: new Date(approval.approvedAt),
      memberSince: new Date(approval.memberSince),
    })),
    status: row.status,
    tokens: row.tokens,
  };
}
