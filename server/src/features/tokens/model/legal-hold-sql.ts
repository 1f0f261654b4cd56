/** A hold `h` in force: neither lifted nor ended. It is written as in the index, so that no other hold is read. */
export const isHoldInForce = `h.lifted_at is null and case when h.ends_at is null then 'infinity' else h.ends_at end > now()`;

/**
 * Returns the condition for a row of `tokens` that a legal hold keeps. A hold covers what meets everything that it
 * names. A tenant has at most a hundred holds in force, and no other is read, so the condition costs little.
 */
export function isHeld(token: string): string {
  return `exists (select from legal_holds h where h.tenant_id = ${token}.tenant_id and ${isHoldInForce}
    and (h.token_id is null or h.token_id = ${token}.id) and (h.type is null or h.type = ${token}.type)
    and (h.terms is null or h.terms && ${token}.terms)
    and (h.container is null or exists (
      select from unnest(${token}.containers) as inside(path) where starts_with(inside.path, h.container))))`;
}
