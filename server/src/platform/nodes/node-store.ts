import type { TenantId } from '../../core/identity/ids.ts';
import type { Database, Transaction } from '../database/database.ts';
import { placeOf } from '../database/place-sql.ts';
import { DrawerSet } from './drawers.ts';

/** What a database says about itself. */
export interface NodeState {
  readonly name: string;
  readonly vaultId: string;
  readonly held: DrawerSet;
  /** Of what is held: drawers that have left and come back meanwhile leave another one behind. */
  readonly version: string;
  /** What has left by a move that has not ended, where that was asked for. */
  readonly left?: LeftDrawers | undefined;
  /** What tells this database from others that connections may lead to, where that was asked for. */
  readonly place?: string | undefined;
}

/** Drawers that a database has given away, unless the other has not received them. */
export interface LeftDrawers {
  readonly moveId: string;
  readonly to: string;
  readonly drawers: DrawerSet;
}

// The transaction that wrote the row last: only moves do.
const stateText = `select node as name, vault_id as "vaultId", held, xmin::text as version from held_drawers`;

/** The nodes that have been added to a vault, as its home knows them. */
export async function listNodeNames(home: Database): Promise<string[]> {
  const rows = await home.forSystem((tx) =>
    tx.query<{ name: string }>({ text: 'select name from vault_nodes order by name' }),
  );
  return rows.map(({ name }) => name);
}

interface StateRow {
  readonly name: string;
  readonly vaultId: string;
  readonly held: Buffer;
  readonly version: string;
}

type LeftRow =
  | { readonly moveId: string; readonly to: string; readonly drawers: Buffer }
  | { readonly moveId: null; readonly to: null; readonly drawers: null };

// Who releases drawers does not claim them.
const wholeStateText = `select h.node as name, h.vault_id as "vaultId", h.held, h.xmin::text as version, ${placeOf('h')} as place,
    m.id as "moveId", m.to_node as "to", m.drawers
  from held_drawers h left join drawer_moves m on m.finished_at is null and m.state in ('leaving', 'arrived') and not m.is_release`;

export async function readNodeState(database: Database): Promise<NodeState> {
  return database.forSystem(readNodeStateIn);
}

/** Within the transaction that has looked for tokens: what was found is whole if all drawers are still where they were. */
export async function readNodeStateIn(tx: Transaction): Promise<NodeState> {
  const [row] = await tx.query<StateRow>({ name: 'node-state', text: stateText });
  if (row === undefined) throw new Error('The table held_drawers has lost its row.');
  return { ...row, held: new DrawerSet(row.held) };
}

/** The same, with what has left: for whoever goes by what a database says about itself. */
export async function readWholeStateIn(tx: Transaction): Promise<NodeState> {
  const [row] = await tx.query<StateRow & LeftRow & { readonly place: string }>({
    name: 'node-whole-state',
    text: wholeStateText,
  });
  if (row === undefined) throw new Error('The table held_drawers has lost its row.');
  const { moveId, to, drawers, held, ...state } = row;
  const left = moveId === null ? undefined : { moveId, to, drawers: new DrawerSet(drawers) };
  return { ...state, held: new DrawerSet(held), left };
}

export function readWholeState(database: Database): Promise<NodeState> {
  return database.forSystem(readWholeStateIn);
}

/** Whether this database has come to hold the drawers of a move, whatever it has done with them since. */
export async function isReceived(tx: Transaction, moveId: string): Promise<boolean> {
  const rows = await tx.query({
    name: 'node-receipt',
    text: 'select move_id from drawer_receipts where move_id = $1',
    values: [moveId],
  });
  return rows.length > 0;
}

/** What a node has to know about a tenant: which of its keys are open, and which of its applications are private. */
export interface Acquaintance {
  readonly tenantType: string;
  readonly keys: readonly { readonly purpose: string; readonly version: number; readonly closedAt: string | null }[];
  readonly applications: readonly { readonly id: string; readonly type: string }[];
}

/** Whatever runs a statement of a tenant. */
type Runner = Pick<Database, 'runForTenant'>;

export async function readAcquaintance(home: Runner, tenantId: TenantId): Promise<Acquaintance | undefined> {
  const [row] = await home.runForTenant<Acquaintance>(tenantId, {
    name: 'node-acquaintance',
    text: `select type as "tenantType",
        coalesce((select json_agg(json_build_object('purpose', purpose, 'version', version, 'closedAt', closed_at))
          from tenant_keys where tenant_id = $1), '[]') as keys,
        coalesce((select json_agg(json_build_object('id', id, 'type', type)) from applications where tenant_id = $1), '[]') as applications
      from tenants where id = $1`,
    values: [tenantId],
  });
  return row;
}

/**
 * A node knows names and numbers, never a key. What is closed there stays closed, whatever was read at home before, and since when it
 * is closed is the time of the node. The row of a version that home has destroyed stays, closed.
 */
export async function writeAcquaintance(node: Runner, tenantId: TenantId, known: Acquaintance): Promise<void> {
  await node.runForTenant(tenantId, {
    name: 'node-acquaint',
    text: `with tenant as (
        insert into tenants (id, name, type) values ($1, 'On this node, the vault keeps tokens only.', $2) on conflict (id) do nothing
      ), opened as (
        insert into tenant_keys (tenant_id, purpose, version, root_key, wrapped, canary, closed_at)
        select $1::uuid, purpose, version, '', '', '', "closedAt"
        from json_to_recordset($3::json) as k(purpose text, version integer, "closedAt" timestamptz)
        on conflict (tenant_id, purpose, version) do update
          set closed_at = coalesce(tenant_keys.closed_at, case when excluded.closed_at is not null then clock_timestamp() end)
      )
      insert into applications (tenant_id, id, name, type, permissions, rules)
      select $1::uuid, id, 'On this node, the vault keeps tokens only.', type, '{}', '[]'
      from json_to_recordset($4::json) as a(id uuid, type text)
      on conflict (tenant_id, id) do nothing`,
    values: [tenantId, known.tenantType, JSON.stringify(known.keys), JSON.stringify(known.applications)],
  });
}

/** What databases of one vault must have in common, and what each must be able to do. */
export interface NodeFitness {
  /** How texts are sorted: lists of several nodes are merged. */
  readonly collation: string;
  readonly preparedMax: number;
  /** Whether tokens are hidden and refused in drawers that are not held. */
  readonly isGuarded: boolean;
}

export function sortAlike(databases: readonly NodeFitness[]): boolean {
  return new Set(databases.map(({ collation }) => collation)).size <= 1;
}

export const sortedDifferently =
  'The databases of this vault do not sort text alike, and what is read from several of them would skip tokens. Create nodes with the locale of the home database, on the same version of its operating system.';

/** A row for each table that is guarded. */
export const guardsText = `select 1 from pg_policy where polname like '%\\_in\\_drawers'`;
export const guardedTables = 3;

export async function readNodeFitness(database: Database): Promise<NodeFitness> {
  const [row] = await database.forSystem((tx) =>
    tx.query<NodeFitness>({
      text: `select concat_ws('/', datlocprovider, datcollate, datctype, daticulocale, pg_database_collation_actual_version(oid)) as collation,
          current_setting('max_prepared_transactions')::integer as "preparedMax",
          (select count(*) from (${guardsText}) as guards) = ${guardedTables} as "isGuarded"
        from pg_database where datname = current_database()`,
    }),
  );
  if (row === undefined) throw new Error('The database does not know itself.');
  return row;
}
