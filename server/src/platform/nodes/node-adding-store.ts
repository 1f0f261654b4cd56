import { setTimeout as pauseFor } from 'node:timers/promises';
import pg from 'pg';
import { OperatorError } from '../../core/errors/operator-error.ts';
import { withOwnerSession } from '../database/owner-session.ts';
import type { OwnedNode } from '../config/owned-nodes.ts';
import { DrawerSet } from './drawers.ts';

interface OwnState {
  readonly node: string;
  readonly vault_id: string;
  readonly has_tenants: boolean;
}

const nothing = DrawerSet.of([]);

/** The error code of PostgreSQL. */
const lockNotAvailable = '55P03';
const lockAttempts = 5;
const lockPauseMs = 1_000;

/**
 * Makes an empty database a node of a vault. It holds nothing yet. From then on both databases refuse tokens of drawers that they do
 * not hold. Safe to repeat.
 */
export async function addNode(home: OwnedNode, node: OwnedNode): Promise<void> {
  const vaultId = await asOwner(home, async (client) => {
    const state = await readState(client);
    if (state.node !== home.name) throw notHome(state);
    await withBriefLocks(home, client, () => client.query('select guard_drawers()'));
    return state.vault_id;
  });
  await asOwner(node, async (client) => {
    const state = await readState(client);
    if (state.vault_id === vaultId && state.node === node.name) return;
    if (state.node !== home.name || state.has_tenants) throw inUse(node, state, home);
    await withBriefLocks(node, client, async () => {
      await client.query('update held_drawers set node = $1, vault_id = $2, held = $3', [
        node.name,
        vaultId,
        nothing.toBytes(),
      ]);
      await client.query('select guard_drawers()');
    });
  });
  // Last, so that what home knows is a node: from now on, no process starts without it.
  await asOwner(home, (client) =>
    client.query('insert into vault_nodes (name) values ($1) on conflict (name) do nothing', [node.name]),
  );
}

/** Runs a transaction that locks tokens. Servers wait behind it, so it backs off while they are in use, and tries again. */
async function withBriefLocks(node: OwnedNode, client: pg.Client, work: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await client.query(`begin; set local lock_timeout = '2s'`);
      await work();
      await client.query('commit');
      return;
    } catch (error) {
      await client.query('rollback').catch(() => undefined);
      if (!(error instanceof pg.DatabaseError) || error.code !== lockNotAvailable) throw error;
      if (attempt >= lockAttempts) throw inDemand(node, error);
      await pauseFor(lockPauseMs);
    }
  }
}

export function asOwner<T>({ ownerUrl }: OwnedNode, work: (client: pg.Client) => Promise<T>): Promise<T> {
  return withOwnerSession(ownerUrl, { applicationName: 'strongroom nodes', variable: 'STRONGROOM_NODES' }, work);
}

async function readState(client: pg.Client): Promise<OwnState> {
  const { rows } = await client.query<OwnState>(
    'select node, vault_id, exists (select from tenants) as has_tenants from held_drawers',
  );
  const [state] = rows;
  if (state === undefined) throw new OperatorError('The table held_drawers has lost its row.');
  return state;
}

function inDemand({ name }: OwnedNode, cause: unknown): OperatorError {
  return new OperatorError(
    `The tokens of ${name} could not be locked because of long-running transactions. End them (see pg_stat_activity), then run the command again.`,
    { cause },
  );
}

function notHome({ node }: OwnState): OperatorError {
  return new OperatorError(
    `STRONGROOM_DATABASE_URL points to node ${node} of a vault. Point it to the database that everything else is in.`,
  );
}

function inUse({ name }: OwnedNode, { node }: OwnState, home: OwnedNode): OperatorError {
  const whose = node === home.name ? 'a vault of its own' : `node ${node} of this vault or of another`;
  return new OperatorError(`The database of node ${name} is ${whose}. Give the node a database that is empty.`);
}
