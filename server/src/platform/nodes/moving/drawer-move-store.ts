import type { TenantId } from '../../../core/identity/ids.ts';
import type { Transaction } from '../../database/database.ts';
import type { OwnerLink } from '../../database/owner-link.ts';
import { DrawerSet } from '../drawers.ts';
import type { DrawerMove, MoveState } from './drawer-move.ts';

interface MoveRow {
  readonly id: string;
  readonly to: string;
  readonly drawers: Buffer;
  readonly state: MoveState;
  readonly uncounted: string | null;
  readonly isDeleting: boolean;
  readonly isRelease: boolean;
}

const columns =
  'id, to_node as "to", drawers, state, uncounted::text, deleting_since is not null as "isDeleting", is_release as "isRelease"';

/** The move of drawers from this database that has begun and not ended, if there is one. */
export async function findMove(source: OwnerLink): Promise<DrawerMove | undefined> {
  const [row] = await source.transaction((tx) =>
    tx.query<MoveRow>({ text: `select ${columns} from drawer_moves where finished_at is null` }),
  );
  return row === undefined ? undefined : toMove(row);
}

/** Writes a move down whose drawers have left already. */
export async function insertRelease(
  tx: Transaction,
  { to, drawers }: Pick<DrawerMove, 'to' | 'drawers'>,
): Promise<DrawerMove> {
  return insertIn(tx, { to, drawers, state: 'leaving', isRelease: true });
}

/** Writes the move down, and from then on lists all changes of its tokens. The triggers wait until all writers before them have ended. */
export async function insertMove(
  tx: Transaction,
  { to, drawers }: Pick<DrawerMove, 'to' | 'drawers'>,
): Promise<DrawerMove> {
  const move = await insertIn(tx, { to, drawers, state: 'copying', isRelease: false });
  await noteChanges(tx, move);
  return move;
}

/** From now on, all changes of its tokens are listed, if they are not yet. */
export async function noteChanges(tx: Transaction, { drawers }: DrawerMove): Promise<void> {
  await tx.query({ text: 'select note_drawer_changes($1)', values: [drawers.toBytes()] });
}

async function insertIn(
  tx: Transaction,
  { to, drawers, state, isRelease }: Pick<DrawerMove, 'to' | 'drawers' | 'state' | 'isRelease'>,
): Promise<DrawerMove> {
  const [row] = await tx.query<MoveRow>({
    text: `insert into drawer_moves (to_node, drawers, state, is_release) values ($1, $2, $3, $4) returning ${columns}`,
    values: [to, drawers.toBytes(), state, isRelease],
  });
  if (row === undefined) throw new Error('The move was not written down.');
  return toMove(row);
}

export async function saveState(tx: Transaction, { id }: DrawerMove, state: MoveState): Promise<void> {
  await tx.query({
    text: `update drawer_moves set state = $2, finished_at = case when $2 in ('done', 'given-up') then now() end where id = $1`,
    values: [id, state],
  });
}

/** Gives the move another id, so that a receipt of it does not count any more. */
export async function renewMove(tx: Transaction, { id }: DrawerMove): Promise<void> {
  await tx.query({ text: 'update drawer_moves set id = gen_random_uuid() where id = $1', values: [id] });
}

/** Remembers that not everything may be here any more. */
export async function saveDeleting(tx: Transaction, { id }: DrawerMove): Promise<void> {
  await tx.query({
    text: 'update drawer_moves set deleting_since = coalesce(deleting_since, now()) where id = $1',
    values: [id],
  });
}

/** Remembers what is no longer counted here, or that all is counted again. */
export async function saveUncounted(tx: Transaction, { id }: DrawerMove, counts: string | undefined): Promise<void> {
  await tx.query({
    text: 'update drawer_moves set uncounted = $2::jsonb where id = $1',
    values: [id, counts ?? null],
  });
}

/** Remembers whose tokens leave: by the time they are deleted, a tenant may be gone. */
export async function saveTenants(tx: Transaction, { id }: DrawerMove): Promise<void> {
  const tenants = await listTenantsIn(tx);
  await tx.query({ text: 'update drawer_moves set tenants = $2 where id = $1', values: [id, tenants] });
}

/** All whose tokens may have been copied from this database, in the order of their ids. */
export async function listTenants(source: OwnerLink, { id }: DrawerMove): Promise<TenantId[]> {
  return source.transaction(async (tx) => {
    const [row] = await tx.query<{ tenants: TenantId[] }>({
      text: 'select tenants::text[] as tenants from drawer_moves where id = $1',
      values: [id],
    });
    return [...new Set([...(row?.tenants ?? []), ...(await listTenantsIn(tx))])].sort();
  });
}

async function listTenantsIn(tx: Transaction): Promise<TenantId[]> {
  await tx.query({ text: 'set local role strongroom_system' });
  const rows = await tx.query<{ id: TenantId }>({ text: 'select id from tenants order by id' });
  await tx.query({ text: 'reset role' });
  return rows.map(({ id }) => id);
}

/** Until the end of the transaction: others who would wait behind it for a lock wait no longer than this. */
export async function limitLockWait(tx: Transaction, milliseconds: number): Promise<void> {
  await tx.query({ text: `select set_config('lock_timeout', $1, true)`, values: [String(milliseconds)] });
}

/**
 * Waits until every transaction that writes tokens has ended, and lets none begin until this one ends. A statement takes its lock
 * before it looks at what is held: whoever comes after sees what this transaction has changed.
 */
export async function lockOutWriters(tx: Transaction): Promise<void> {
  await tx.query({ text: 'lock table tokens, token_cvcs in share mode' });
}

export async function updateHeld(tx: Transaction, change: (held: DrawerSet) => DrawerSet): Promise<void> {
  const held = change(await readHeldIn(tx));
  await tx.query({ text: 'update held_drawers set held = $1', values: [held.toBytes()] });
}

export async function readHeldIn(tx: Transaction): Promise<DrawerSet> {
  const [row] = await tx.query<{ held: Buffer }>({ text: 'select held from held_drawers for update' });
  if (row === undefined) throw new Error('The table held_drawers has lost its row.');
  return new DrawerSet(row.held);
}

const triggers = ['tokens', 'token_cvcs'].flatMap((table) =>
  ['written', 'deleted'].map((event) => ({ table, trigger: `${table}_${event}_in_moving` })),
);

/** Nothing is listed from now on. Waits for writers only. */
export async function disableTriggers(tx: Transaction): Promise<void> {
  for (const { table, trigger } of triggers) {
    await tx.query({
      text: `do $$ begin
        if exists (select from pg_trigger where tgrelid = '${table}'::regclass and tgname = '${trigger}') then
          alter table ${table} disable trigger ${trigger};
        end if;
      end $$`,
    });
  }
}

/** Waits for readers too. */
export async function dropTriggers(tx: Transaction): Promise<void> {
  for (const { table, trigger } of triggers) await tx.query({ text: `drop trigger if exists ${trigger} on ${table}` });
}

function toMove({ drawers, uncounted, ...row }: MoveRow): DrawerMove {
  return { ...row, drawers: new DrawerSet(drawers), uncounted: uncounted ?? undefined };
}
