/** Returns a condition that is true if the tenant with the id in this column moves, has moved away or has not arrived. */
export function isClosed(column: string): string {
  return `exists (select from tenant_moves m where m.tenant_id = ${column} and m.closed_until > now())`;
}
