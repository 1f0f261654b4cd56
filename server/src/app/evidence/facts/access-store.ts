import { affectedMax } from '../../../core/evidence/fact.ts';
import type { TenantId } from '../../../core/identity/ids.ts';
import type { Transaction } from '../../../platform/database/database.ts';

export interface AccessCounts {
  readonly isProduction: boolean;
  readonly demandsApproval: boolean;
  readonly approved: number;
  readonly refused: number;
  readonly lapsed: number;
  readonly exports: number;
  readonly exportedTokens: number;
  readonly unapproved: readonly string[];
  readonly anyPageTotal: number;
  readonly anyPage: readonly string[];
  readonly anyDestinationTotal: number;
  readonly anyDestination: readonly string[];
  readonly openProxiesTotal: number;
  readonly openProxies: readonly string[];
}

/** A proxy that accepts calls from networks of this size is open to everybody: companies have none that are larger. */
const bitsMin = { ipv4: 8, ipv6: 16 } as const;

const first = (ids: string) => `coalesce((array_agg(${ids} order by ${ids}))[1:${affectedMax}], '{}')`;

/** Reads the settings, approvals, exports and limits of a tenant in one statement. */
export async function countAccess(
  tx: Transaction,
  tenantId: TenantId,
  { from, to }: { readonly from: Date; readonly to: Date },
): Promise<AccessCounts> {
  const [row] = await tx.query<AccessCounts>({
    text: `with usable as (
        select id, type, permissions, rules, allowed_origins, allowed_destinations from applications
        where tenant_id = $1 and (expires_at is null or expires_at > now()) and not awaits_approval
      ), any_page as (
        select id from usable where type = 'public' and coalesce(cardinality(allowed_origins), 0) = 0
      ), any_destination as (
        select id from usable where allowed_destinations is null
          and ('token:use' = any(permissions) or rules @? '$[*].permissions[*] ? (@ == "token:use")')
      ), open_proxies as (
        select id from stored_proxies where tenant_id = $1 and not require_auth and caller_check is null
          and (cardinality(allowed_sources) = 0 or exists (select from unnest(allowed_sources) as source(network)
            where masklen(network::inet) < case family(network::inet) when 4 then ${bitsMin.ipv4} else ${bitsMin.ipv6} end))
      ), decided as (
        select outcome from approval_requests where tenant_id = $1 and decided_at >= $2 and decided_at < $3
      ), exported as (
        select e.id, e.tokens, (select count(*) from token_export_approvals a
            where a.tenant_id = e.tenant_id and a.export_id = e.id) < e.approvals_needed as is_unapproved
        from token_exports e where e.tenant_id = $1 and e.started_at >= $2 and e.started_at < $3
      )
      select t.type = 'production' as "isProduction",
        coalesce(t.settings ->> 'approve_plaintext', 'false') <> 'false' as "demandsApproval",
        (select count(*)::float8 from decided where outcome = 'approved') as approved,
        (select count(*)::float8 from decided where outcome = 'refused') as refused,
        (select count(*)::float8 from decided where outcome in ('expired', 'stale')) as lapsed,
        (select count(*)::float8 from exported) as exports,
        (select coalesce(sum(tokens), 0)::float8 from exported) as "exportedTokens",
        (select ${first('id')} from exported where is_unapproved) as unapproved,
        (select count(*)::float8 from any_page) as "anyPageTotal",
        (select ${first('id')} from any_page) as "anyPage",
        (select count(*)::float8 from any_destination) as "anyDestinationTotal",
        (select ${first('id')} from any_destination) as "anyDestination",
        (select count(*)::float8 from open_proxies) as "openProxiesTotal",
        (select ${first('id')} from open_proxies) as "openProxies"
      from tenants t where t.id = $1`,
    values: [tenantId, from, to],
  });
  if (row === undefined) throw new Error('There is no such tenant.');
  return row;
}
