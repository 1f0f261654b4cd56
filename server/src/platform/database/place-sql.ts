/**
 * Tells a database from others that a connection may lead to: another server, the same one started again, another database of that name,
 * or one that says something else of what it holds. A standby that takes over without the newest commits says what was said before.
 */
export function placeOf(heldDrawers: string): string {
  return `concat_ws('/', pg_postmaster_start_time(), (select oid from pg_database where datname = current_database()), ${heldDrawers}.xmin)`;
}
