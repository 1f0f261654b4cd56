import type { TenantId } from '../../../core/identity/ids.ts';
import type { AdminSession } from './admin-session.ts';
import { listMovedTables, ofTenant } from './moved-tables.ts';

/** A member, or a former one, with the person behind it. */
interface Person {
  readonly id: string;
  readonly email: string | null;
  readonly first_name: string | null;
  readonly last_name: string | null;
}

/** Columns that may hold the id of a user. Ids of users and of applications never coincide. */
export const userColumns: ReadonlySet<string> = new Set([
  'user_id',
  'created_by',
  'modified_by',
  'deleted_by',
  'granted_by',
  'requested_by',
  'decided_by',
  'lifted_by',
]);
/** Tables that name no user in these columns, or whose rows are sealed and stay as they are. */
const withoutUsers = new Set(['audit_records', 'tokens', 'token_intents', 'client_keys']);

/**
 * Copies the members of the tenant. A person is the same in both cells if the address is. How people sign in is not
 * copied: they do that once more in the other cell. Runs in the target's transaction at hand.
 */
export async function copyPeople(
  { source, target }: { readonly source: AdminSession; readonly target: AdminSession },
  tenantId: TenantId,
): Promise<void> {
  const people = await source.query<Person>(
    `select distinct u.id, u.email, u.first_name, u.last_name from users u
      where u.id in (select user_id from members where tenant_id = $1 union select user_id from former_members where tenant_id = $1)`,
    [tenantId],
  );
  const newIds = new Map<string, string>();
  for (const person of people) newIds.set(person.id, await findOrAddUser(target, person));
  await copyRows({ source, target }, { tenantId, table: 'members', newIds });
  await copyRows({ source, target }, { tenantId, table: 'former_members', newIds });
  await renameUsers(target, tenantId, newIds);
}

async function findOrAddUser(target: AdminSession, { id, email, first_name, last_name }: Person): Promise<string> {
  await target.query(
    'insert into users (id, email, first_name, last_name) values ($1, $2, $3, $4) on conflict do nothing',
    [id, email, first_name, last_name],
  );
  const found = await target.one<{ id: string }>(
    'select id from users where lower(email) = lower($2) or ($2::text is null and id = $1)',
    [id, email],
  );
  return found.id;
}

interface CopiedTable {
  readonly tenantId: TenantId;
  readonly table: 'members' | 'former_members';
  readonly newIds: ReadonlyMap<string, string>;
}

async function copyRows(
  { source, target }: { readonly source: AdminSession; readonly target: AdminSession },
  { tenantId, table, newIds }: CopiedTable,
): Promise<void> {
  await target.query(`delete from ${table} where ${ofTenant(table, tenantId)}`);
  const rows = await source.query<{ row: Readonly<Record<string, unknown>> }>(
    `select to_jsonb(t) as row from ${table} t where ${ofTenant(table, tenantId)}`,
  );
  for (const { row } of rows) {
    const renamed = Object.entries(row).map(([column, value]) => {
      const newId = userColumns.has(column) && typeof value === 'string' ? newIds.get(value) : undefined;
      return [column, newId ?? value];
    });
    await target.query(`insert into ${table} select * from jsonb_populate_record(null::${table}, $1)`, [
      JSON.stringify(Object.fromEntries(renamed)),
    ]);
  }
}

/** Puts the ids that people have in this cell in place of those that they had in the other. */
async function renameUsers(
  target: AdminSession,
  tenantId: TenantId,
  newIds: ReadonlyMap<string, string>,
): Promise<void> {
  const renamed = [...newIds].filter(([old, fresh]) => old !== fresh);
  if (renamed.length === 0) return;
  const [olds, freshs] = [renamed.map(([old]) => old), renamed.map(([, fresh]) => fresh)];
  for (const { name, columns } of await listMovedTables(target)) {
    if (withoutUsers.has(name)) continue;
    for (const column of columns.filter((each) => userColumns.has(each))) {
      await target.query(
        `update ${name} set ${column} = n.fresh from unnest($1::uuid[], $2::uuid[]) as n(old, fresh)
          where ${ofTenant(name, tenantId)} and ${column} = n.old`,
        [olds, freshs],
      );
    }
  }
}
