import type { TenantId } from '../../../core/identity/ids.ts';
import type { Transaction } from '../../database/database.ts';
import type { OwnerLink } from '../../database/owner-link.ts';

/** Tokens and codes as PostgreSQL writes rows: whatever their columns are, ciphertext included, and nobody opens them. */
export interface TokenRows {
  readonly ids: readonly string[];
  readonly tokens: readonly string[];
  readonly cvcs: readonly string[];
}

/** Works on a tenant's rows in drawers that are not held, too; on those of all tenants, where none is named. */
export function asMover<T>(
  link: OwnerLink,
  tenantId: TenantId | undefined,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  return link.asApplication(tenantId, work, { 'app.moves_drawers': 'on' });
}

/** Ids of tokens in their order, whichever drawers they are in. */
export async function listIds(
  tx: Transaction,
  tenantId: TenantId,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<string[]> {
  const rows = await tx.query<{ id: string }>({
    name: 'moving-ids',
    text: 'select id from tokens where tenant_id = $1 and id > $2 order by id limit $3',
    values: [tenantId, after, limit],
  });
  return rows.map(({ id }) => id);
}

/** Those of the ids that there are tokens of. */
export async function filterIds(tx: Transaction, tenantId: TenantId, ids: readonly string[]): Promise<Set<string>> {
  const rows = await tx.query<{ id: string }>({
    name: 'moving-known-ids',
    text: 'select t.id from unnest($2::text[]) as wanted(id) join tokens t on t.tenant_id = $1 and t.id = wanted.id',
    values: [tenantId, ids],
  });
  return new Set(rows.map(({ id }) => id));
}

/** Tokens of one type in the same containers. */
export interface CountedTokens {
  readonly type: string;
  readonly containers: readonly string[];
  readonly tokens: number;
}

export function countTokensOf(tx: Transaction, tenantId: TenantId, ids: readonly string[]): Promise<CountedTokens[]> {
  return tx.query<CountedTokens>({
    name: 'moving-count',
    text: `select t.type, t.containers, count(*)::integer as tokens
      from unnest($2::text[]) as wanted(id) join tokens t on t.tenant_id = $1 and t.id = wanted.id group by t.type, t.containers`,
    values: [tenantId, ids],
  });
}

/** What two databases have in common if their tokens of these ids, and the codes of those, are the same. */
export async function readDigest(tx: Transaction, tenantId: TenantId, ids: readonly string[]): Promise<string> {
  const [row] = await tx.query<{ digest: string }>({
    name: 'moving-digest',
    text: `select concat_ws(' ',
        (select concat_ws(' ', count(*), sum(hashtextextended(t::text, 0)::numeric))
          from unnest($2::text[]) as wanted(id) join tokens t on t.tenant_id = $1 and t.id = wanted.id),
        (select concat_ws(' ', count(*), sum(hashtextextended(c::text, 0)::numeric))
          from unnest($2::text[]) as wanted(id) join token_cvcs c on c.tenant_id = $1 and c.token_id = wanted.id)) as digest`,
    values: [tenantId, ids],
  });
  return row?.digest ?? '';
}

interface ReadRow {
  readonly row: string;
  /** The place of the first id whose token is too much; null where there is none. */
  readonly cutAt: number | null;
}

/**
 * Those of the tokens that there are, for as many of the ids as fit into `bytesMax` together; at least one. `ids` are those that were
 * looked up.
 */
export async function readTokens(
  tx: Transaction,
  tenantId: TenantId,
  { ids, bytesMax }: { readonly ids: readonly string[]; readonly bytesMax: number },
): Promise<TokenRows> {
  const [tokens, cvcs] = await Promise.all([
    tx.query<ReadRow>({
      name: 'moving-tokens',
      text: `with sized as materialized (
          select id, place, sum(octet_length(data)) over (order by place) - octet_length(data) as bytes_before
          from unnest($2::text[]) with ordinality as wanted(id, place) join tokens using (id) where tenant_id = $1
        )
        select t::text as row, (select min(place) from sized where bytes_before >= $3)::integer as "cutAt"
        from sized join tokens t using (id) where t.tenant_id = $1 and bytes_before < $3 order by place`,
      values: [tenantId, ids, bytesMax],
    }),
    tx.query<{ id: string; row: string }>({
      name: 'moving-cvcs',
      text: 'select token_id as id, c::text as row from token_cvcs c where tenant_id = $1 and token_id = any($2::text[])',
      values: [tenantId, ids],
    }),
  ]);
  const cutAt = tokens[0]?.cutAt ?? null;
  const read = cutAt === null ? ids : ids.slice(0, cutAt - 1);
  const isRead = new Set(read);
  return {
    ids: read,
    tokens: tokens.map(({ row }) => row),
    cvcs: cvcs.filter(({ id }) => isRead.has(id)).map(({ row }) => row),
  };
}

/**
 * Joined by whole keys: however little PostgreSQL knows about the tables, each row is reached by its key and no other is looked at.
 */
const removal = `gone as (
    delete from tokens t using unnest($2::text[]) as wanted(id) where t.tenant_id = $1 and t.id = wanted.id
    returning t.id, t.type, t.containers, t.terms, t.created_at
  ), unlisted as (
    delete from token_terms l using (select id, created_at, unnest(terms) as term from gone) as g
    where l.tenant_id = $1 and l.term = g.term and l.created_at = g.created_at and l.token_id = g.id
  ), uncoded as (
    delete from token_cvcs c using unnest($2::text[]) as wanted(id) where c.tenant_id = $1 and c.token_id = wanted.id
  )`;

/** Deletes tokens that are counted nowhere in this database any more. */
export async function deleteTokens(tx: Transaction, tenantId: TenantId, ids: readonly string[]): Promise<void> {
  await tx.query({ name: 'moving-delete', text: `with ${removal} select 1`, values: [tenantId, ids] });
}

/**
 * Puts rows in place of whatever there is of these ids. Tokens that are not held yet must not be seen in the counters: they are
 * counted as arrivals. Nothing is written for a tenant that has been deleted: whoever deletes one waits for this, and finds all of it.
 */
export async function replaceTokens(
  tx: Transaction,
  tenantId: TenantId,
  { ids, tokens, cvcs }: TokenRows,
): Promise<void> {
  const making = tx.query({
    name: 'moving-make-room',
    text: `with ${removal}
      insert into drawer_arrivals (tenant_id, type, containers, tokens)
      select $1::uuid, type, containers, -count(*) from gone group by type, containers order by type, containers
      on conflict (tenant_id, type, containers) do update set tokens = drawer_arrivals.tokens + excluded.tokens`,
    values: [tenantId, ids],
  });
  const inserting = tx.query({
    name: 'moving-insert',
    text: `with tenant as materialized (
        select from tenants where id = $1 for key share
      ), written as (
        insert into tokens select * from unnest($2::tokens[]) where exists (select from tenant)
        returning id, type, containers, terms, created_at
      ), listed as (
        insert into token_terms (tenant_id, term, created_at, token_id)
        select $1::uuid, unnest(terms), created_at, id from written
      ), coded as (
        insert into token_cvcs select * from unnest($3::token_cvcs[]) where exists (select from tenant)
      )
      insert into drawer_arrivals (tenant_id, type, containers, tokens, last_created_at)
      select $1::uuid, type, containers, count(*), max(created_at) from written group by type, containers order by type, containers
      on conflict (tenant_id, type, containers) do update set tokens = drawer_arrivals.tokens + excluded.tokens,
        last_created_at = greatest(drawer_arrivals.last_created_at, excluded.last_created_at)`,
    values: [tenantId, tokens, cvcs],
  });
  await Promise.all([making, inserting]);
}
