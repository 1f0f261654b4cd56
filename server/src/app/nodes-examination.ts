import type { DatabaseConfig } from '../platform/config/config.ts';
import { inspectDatabase } from '../platform/database/database-inspection.ts';
import { requireFittingSchema } from '../platform/database/migrator.ts';
import { countHolders, drawerCount, type DrawerSet } from '../platform/nodes/drawers.ts';
import { readClaims } from '../platform/nodes/claimed-drawers.ts';
import { listLeft } from '../platform/nodes/joint-commit-store.ts';
import {
  type NodeFitness,
  readNodeFitness,
  readWholeState,
  sortAlike,
  sortedDifferently,
} from '../platform/nodes/node-store.ts';
import { homeName } from '../core/nodes/home-name.ts';
import { jointsMax, Nodes, type VaultNode } from '../platform/nodes/nodes.ts';
import { countStrangers } from '../platform/nodes/moving/node-use-store.ts';
import { nameProcess } from '../platform/nodes/process-name.ts';
import { attempt, openForExamination } from './examination-attempt.ts';
import type { Finding } from './finding.ts';

/** PostgreSQL's default refuses to prepare any. So many requests of one server may write on several nodes at the same time. */
const preparedMin = jointsMax;
/** Workers end after a minute what a server has left. */
const leftForSeconds = 180;

/** Checks the databases that hold tokens, each on its own and all together; nothing where there is one database. */
export async function examineNodes(config: DatabaseConfig): Promise<Finding[]> {
  const named = config.nodes ?? [];
  if (named.length === 0) return [];
  const found: Finding[] = [];
  for (const { name, url } of named) found.push(await examineNode(name, url));
  if (found.some(({ isOk }) => !isOk)) return found;
  const databases = [{ name: homeName, url: config.url }, ...named].map(({ name, url }) => ({
    name,
    database: openForExamination({ ...config, url }),
  }));
  try {
    return [...found, await examineTogether(databases)];
  } finally {
    await Promise.all(databases.map(({ database }) => database.close()));
  }
}

async function examineNode(node: string, url: string): Promise<Finding> {
  const { value: problems, finding } = await attempt(`node ${node}`, async () => {
    const found = await inspectDatabase(url);
    await requireFittingSchema(url);
    return found.filter(({ isOk }) => !isOk).map(({ name, detail }) => `${name}: ${detail}`);
  });
  if (problems === undefined) return finding;
  return { ...finding, isOk: problems.length === 0, detail: problems.length === 0 ? 'fits' : problems.join('; ') };
}

async function examineTogether(databases: readonly VaultNode[]): Promise<Finding> {
  const { value, finding } = await attempt('nodes', async () => {
    await Nodes.open(databases);
    const states = new Map(
      await Promise.all(databases.map(async (node) => [node, await readWholeState(node.database)] as const)),
    );
    const held = [...states.values()].map((state) => state.held);
    const claimed = [...(await readClaims(states)).values()];
    const fitness = await Promise.all(databases.map(({ database }) => readNodeFitness(database)));
    const named = fitness.map((one, index) => ({ ...one, name: databases[index]?.name ?? '' }));
    const problem = findHeldProblem(held, claimed) ?? findUnfitness(named);
    return { problem: problem ?? (await findLeft(databases)) ?? (await findStrangers(databases)) };
  });
  if (value === undefined) return finding;
  const { problem } = value;
  return { ...finding, isOk: problem === undefined, detail: problem ?? 'hold every drawer once, and sort alike' };
}

function findHeldProblem(held: readonly DrawerSet[], claimed: readonly DrawerSet[]): string | undefined {
  const twice = countHolders(claimed).filter((count) => count > 1).length;
  if (twice > 0)
    return `${twice} drawers are claimed by two databases. One of them was most likely restored to an earlier state: find out which, and move nothing before. See "After a restore" in docs/operate/scale-out.md`;
  const missing = countHolders(held).filter((count) => count === 0).length;
  if (missing > 0)
    return `${missing} of ${drawerCount} drawers are held by nobody. Either STRONGROOM_NODES does not name all nodes, or a move has not ended: \`strongroom nodes balance\` continues it`;
  return undefined;
}

function findUnfitness(databases: readonly (NodeFitness & { readonly name: string })[]): string | undefined {
  if (!sortAlike(databases)) return sortedDifferently;
  const unprepared = databases.filter(({ preparedMax }) => preparedMax < preparedMin).map(({ name }) => name);
  if (unprepared.length > 0)
    return `max_prepared_transactions is below ${preparedMin} on ${unprepared.join(' and ')}: requests that write on several nodes are refused. Set it to at least 100 on every database, and restart PostgreSQL`;
  const unguarded = databases.filter(({ isGuarded }) => !isGuarded).map(({ name }) => name);
  if (unguarded.length > 0)
    return `${unguarded.join(' and ')} would take tokens of drawers that others hold: it was most likely restored to a time before it had nodes. Run \`strongroom nodes add\` for each node`;
  return undefined;
}

/** They cannot find tokens on the nodes that they do not know. */
async function findStrangers([home, ...nodes]: readonly VaultNode[]): Promise<string | undefined> {
  const strangers = await home?.database.forSystem((tx) => countStrangers(tx, nameProcess(nodes)));
  if (strangers === undefined || strangers === 0) return undefined;
  return `${strangers} connections to home are of servers or workers whose STRONGROOM_NODES names other nodes. Restart every server and worker with the same setting`;
}

/** The log of a database is not sealed past a transaction that is still prepared. */
async function findLeft(databases: readonly VaultNode[]): Promise<string | undefined> {
  for (const { name, database } of databases) {
    const [left] = await listLeft(database, leftForSeconds);
    if (left !== undefined)
      return `${name} has had a transaction prepared for more than ${leftForSeconds} seconds. A worker ends it when it can reach ${left.decider}; until then the log of ${name} is not sealed`;
  }
  return undefined;
}
