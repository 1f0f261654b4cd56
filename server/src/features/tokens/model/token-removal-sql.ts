/**
 * Parts of a statement that take with the tokens in `gone` what finds them, their codes and their place in the counters.
 * `gone` has id, type, containers, terms and created_at; parameter 1 is the tenant, and the slot of the counters has the number given.
 */
export function removeWithGone(slotParameter: number): string {
  return `unlisted as (
    delete from token_terms l using (select id, created_at, unnest(terms) as term from gone) as g
    where l.tenant_id = $1 and l.term = g.term and l.created_at = g.created_at and l.token_id = g.id
  ), uncoded as (
    delete from token_cvcs using gone where tenant_id = $1 and token_id = gone.id
  ), counted as (
    insert into token_counts (tenant_id, type, containers, slot, tokens)
    select $1::uuid, type, containers, $${slotParameter}, -count(*) from gone group by type, containers order by type, containers
    on conflict (tenant_id, type, containers, slot) do update set tokens = token_counts.tokens + excluded.tokens
  )`;
}
