import { OperatorError } from '../../core/errors/operator-error.ts';
import { homeName } from '../../core/nodes/home-name.ts';
import type { OwnedNode } from '../config/owned-nodes.ts';
import type { Transaction } from '../database/database.ts';
import { OwnerLink } from '../database/owner-link.ts';
import { DrawerSet } from './drawers.ts';
import type { LinkedNode } from './moving/drawer-move.ts';
import { readHeldIn } from './moving/drawer-move-store.ts';
import { withLockPatience } from './moving/lock-patience.ts';
import { movingSession, takeMovingLock } from './moving/moving-lock-store.ts';
import { guardedTables, guardsText, type NodeState, readNodeStateIn } from './node-store.ts';

const nothing = DrawerSet.of([]);

/**
 * Makes an empty database a node of a vault. It holds nothing yet. From then on both databases refuse tokens of drawers that they do
 * not hold. Safe to repeat, and while it is done nothing moves.
 */
export function addNode(home: OwnedNode, node: OwnedNode): Promise<void> {
  return asOwner(home, async (linked) => {
    const state = await linked.link.transaction(readNodeStateIn);
    if (state.name !== home.name) throw notHome(state);
    await requirePreparing(linked);
    await takeMovingLock(linked.link);
    await withLockPatience(linked, guardDrawers);
    await asOwner(node, (added) => makeNode(added, { vaultId: state.vaultId, home }));
    // Last, so that what home knows is a node: from now on, no process starts without it.
    await rememberNodes(linked, [linked, node]);
  });
}

async function makeNode(
  node: LinkedNode,
  { vaultId, home }: { readonly vaultId: string; readonly home: OwnedNode },
): Promise<void> {
  await requirePreparing(node);
  await takeMovingLock(node.link);
  await withLockPatience(node, async (tx) => {
    // Nothing that was read before counts: another may have made it a node meanwhile, which holds drawers by now.
    await readHeldIn(tx);
    const state = await readNodeStateIn(tx);
    if (state.vaultId === vaultId && state.name === node.name) return;
    if (state.name !== home.name || (await hasTenants(tx))) throw inUse(node, state, home);
    await tx.query({
      text: 'update held_drawers set node = $1, vault_id = $2, held = $3',
      values: [node.name, vaultId, nothing.toBytes()],
    });
    await guardDrawers(tx);
  });
}

/** Names the nodes at home, which may have been restored to a time before they were added. */
export async function rememberNodes(home: LinkedNode, all: readonly Pick<LinkedNode, 'name'>[]): Promise<void> {
  const names = all.map(({ name }) => name).filter((name) => name !== home.name);
  await home.link.transaction((tx) =>
    tx.query({
      text: 'insert into vault_nodes (name) select unnest($1::text[]) on conflict (name) do nothing',
      values: [names],
    }),
  );
}

/** The same for the policies. Without them a server that has not heard of a move could write where nobody looks any more. */
export async function ensureGuarded(node: LinkedNode): Promise<void> {
  const rows = await node.link.transaction((tx) => tx.query({ text: guardsText }));
  if (rows.length < guardedTables) await withLockPatience(node, guardDrawers);
}

async function guardDrawers(tx: Transaction): Promise<void> {
  await tx.query({ text: 'select guard_drawers()' });
}

/** Where nothing can be prepared, a request that writes on several nodes is refused. */
async function requirePreparing({ name, link }: LinkedNode): Promise<void> {
  const [row] = await link.transaction((tx) =>
    tx.query<{ max: number }>({ text: `select current_setting('max_prepared_transactions')::integer as max` }),
  );
  if ((row?.max ?? 0) > 0) return;
  throw new OperatorError(
    `The database of ${name === homeName ? 'home' : `node ${name}`} has max_prepared_transactions at 0. Set it to at least 100 and restart PostgreSQL.`,
  );
}

/** None is added until the transaction ends. The owner, too, sees tenants only as a role that may. */
async function hasTenants(tx: Transaction): Promise<boolean> {
  await tx.query({ text: 'lock table tenants in share mode' });
  await tx.query({ text: 'set local role strongroom_system' });
  const rows = await tx.query({ text: 'select from tenants limit 1' });
  await tx.query({ text: 'reset role' });
  return rows.length > 0;
}

function asOwner<T>({ name, ownerUrl: url }: OwnedNode, work: (linked: LinkedNode) => Promise<T>): Promise<T> {
  const options = { url, variable: 'STRONGROOM_NODES', applicationName: movingSession };
  return OwnerLink.with(options, (link) => work({ name, link }));
}

function notHome({ name: node }: NodeState): OperatorError {
  return new OperatorError(
    `STRONGROOM_DATABASE_URL points to node ${node} of a vault. Point it to the database that everything else is in.`,
  );
}

function inUse({ name }: LinkedNode, { name: node }: NodeState, home: OwnedNode): OperatorError {
  const whose = node === home.name ? 'a vault of its own' : `node ${node} of this vault or of another`;
  return new OperatorError(`The database of node ${name} is ${whose}. Give the node a database that is empty.`);
}
