import type { AccessRule } from '../../core/access/access-rule.ts';
import type { Permission } from '../../core/access/permission.ts';
import type { SessionOrigin } from '../../core/identity/caller.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import type { Transaction } from '../../platform/database/database.ts';

/** A session that has not ended. Its key and nonce cannot be derived from these fields. */
export interface ListedSession {
  readonly id: string;
  readonly applicationId: string;
  /** The application and its key that authorized the session. Null until then. */
  readonly authorizedBy: string | null;
  readonly authorizedKey: string | null;
  readonly permissions: readonly Permission[];
  readonly rules: readonly AccessRule[];
  readonly origin: SessionOrigin | null;
  readonly createdAt: Date;
  readonly authorizedAt: Date | null;
  readonly expiresAt: Date;
}

export interface SessionPlace {
  readonly createdAt: Date;
  readonly id: string;
}

export interface SessionSlice {
  /** True for authorized sessions only, false for all others, undefined for all sessions. */
  readonly isAuthorized: boolean | undefined;
  /** The last session of the previous page. */
  readonly after: SessionPlace | undefined;
  readonly size: number;
}

export interface SessionPage {
  readonly items: readonly ListedSession[];
  readonly next: SessionPlace | undefined;
}

/**
 * The maximum size of the rules on a page, in bytes. The rules of one session can take 160 KB, so a page ends early
 * instead of containing hundreds of such sessions.
 */
const rulesBytesMax = 1_000_000;

/**
 * Lists sessions, newest first. A session ends as soon as the session itself, its application or the application that
 * authorized it expires.
 */
export async function listNewestSessions(
  tx: Transaction,
  tenantId: TenantId,
  { isAuthorized, after, size }: SessionSlice,
): Promise<SessionPage> {
  const rows = await tx.query<ListedSession & { readonly total: number }>({
    text: `with page as (
        select s.id, s.application_id as "applicationId", s.authorized_by as "authorizedBy",
          s.authorized_key as "authorizedKey", s.permissions, s.rules, s.origin, s.created_at as "createdAt",
          s.authorized_at as "authorizedAt", least(s.expires_at, a.expires_at, z.expires_at) as "expiresAt"
        from sessions s
        join applications a on a.tenant_id = s.tenant_id and a.id = s.application_id
        left join applications z on z.tenant_id = s.tenant_id and z.id = s.authorized_by
        where s.tenant_id = $1 and least(s.expires_at, a.expires_at, z.expires_at) > now()
          and ${authorizationOf(isAuthorized)} and ($2::uuid is null or (s.created_at, s.id) < ($3, $2))
        order by s.created_at desc, s.id desc limit $4),
      sized as (
        select page.*, (count(*) over ())::integer as total,
          sum(octet_length(rules::text)) over (order by "createdAt" desc, id desc) - octet_length(rules::text) as before
        from page)
      select id, "applicationId", "authorizedBy", "authorizedKey", permissions, rules, origin, "createdAt", "authorizedAt",
        "expiresAt", total
      from sized where before < $5 order by "createdAt" desc, id desc`,
    values: [tenantId, after?.id ?? null, after?.createdAt ?? null, size + 1, rulesBytesMax],
  });
  const items = rows.slice(0, size);
  const isLast = (rows[0]?.total ?? 0) <= items.length;
  return { items, next: isLast ? undefined : items.at(-1) };
}

/** Returns a condition that is part of the statement text, not a parameter, because each form has its own index. */
function authorizationOf(isAuthorized: boolean | undefined): string {
  if (isAuthorized === undefined) return 'true';
  return isAuthorized ? 's.authorized_at is not null' : 's.authorized_at is null';
}
