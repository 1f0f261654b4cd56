/**
 * Returns the parts of a statement that remove the terms, verification codes and counts of the tokens in `gone`. `gone`
 * has id, type, containers, terms and created_at. Parameter 1 is the tenant, and `slotParameter` is the number of the
 * parameter with the counter slot.
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
