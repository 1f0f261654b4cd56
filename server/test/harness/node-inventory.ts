import type { OwnedNode } from '../../src/platform/config/owned-nodes.ts';
import { drawerCount, drawerOf, DrawerSet } from '../../src/platform/nodes/drawers.ts';
import type { TestDatabase } from './test-database.ts';
import type { TestVault } from './test-vault.ts';

/** All databases of a vault as their owner reaches them, home first. */
export function ownedNodes(vault: TestVault): OwnedNode[] {
  return listDatabases(vault).map(({ name, database }) => ({ name, ownerUrl: database.url }));
}

/** For a command that moves drawers. */
export function settingsOf(vault: TestVault): Record<string, string> {
  const nodes = vault.nodes.map(({ name, database }) => `${name}=${database.url}`);
  return { STRONGROOM_DATABASE_URL: vault.database.url, STRONGROOM_NODES: nodes.join(' ') };
}

/** What a vault with nodes has in its databases that it should not have; nothing, unless drawers are on their way. */
export async function listDisorder(vault: TestVault): Promise<string[]> {
  const found = await Promise.all(
    listDatabases(vault).map(async ({ name, database }) => ({ name, ...(await examine(database)) })),
  );
  const holders = Array.from(
    { length: drawerCount },
    (_, drawer) => found.filter(({ held }) => held.has(drawer)).length,
  );
  const unheld = holders.filter((count) => count === 0).length;
  const shared = holders.filter((count) => count > 1).length;
  return [
    ...(unheld > 0 ? [`${unheld} drawers are held by nobody`] : []),
    ...(shared > 0 ? [`${shared} drawers are held by several`] : []),
    ...found.flatMap(({ name, problems }) => problems.map((problem) => `${name}: ${problem}`)),
  ];
}

/** Home first. */
export function listDatabases(vault: TestVault): { readonly name: string; readonly database: TestDatabase }[] {
  return [{ name: 'home', database: vault.database }, ...vault.nodes];
}

/** Each returns a row for what is wrong. */
const checks: Readonly<Record<string, string>> = {
  'counters differ from tokens': `select 1 from
    (select tenant_id, type, containers, count(*) as tokens from tokens group by 1, 2, 3) as real
    full join (select tenant_id, type, containers, sum(tokens) as tokens from token_counts group by 1, 2, 3) as counted
      using (tenant_id, type, containers)
    where coalesce(real.tokens, 0) <> coalesce(counted.tokens, 0)`,
  'totals differ from tokens': `select 1 from
    (select tenant_id, type, count(*) as tokens from tokens group by 1, 2) as real
    full join (select tenant_id, type, sum(tokens) as tokens from token_totals group by 1, 2) as counted using (tenant_id, type)
    where coalesce(real.tokens, 0) <> coalesce(counted.tokens, 0)`,
  'sets of tokens are not known': `select 1 from tokens t where not exists (
    select from token_sets s where s.tenant_id = t.tenant_id and s.shelf = t.shelf)`,
  'terms differ from tokens': `select 1 from
    (select tenant_id, unnest(terms) as term, created_at, id as token_id from tokens) as real
    full join token_terms as listed using (tenant_id, term, created_at, token_id)
    where real.tenant_id is null or listed.tenant_id is null`,
  'codes are without a token': `select 1 from token_cvcs c where not exists (
    select from tokens t where t.tenant_id = c.tenant_id and t.id = c.token_id)`,
  'changes are left': 'select 1 from drawer_changes',
  'arrivals are left': 'select 1 from drawer_arrivals',
  'a move is unfinished': 'select 1 from drawer_moves where finished_at is null',
  'triggers are left': `select 1 from pg_trigger where tgname like '%in_moving' and tgenabled <> 'D'`,
};

async function examine({ owner }: TestDatabase): Promise<{ held: DrawerSet; problems: string[] }> {
  const problems: string[] = [];
  for (const [problem, text] of Object.entries(checks)) {
    const { rowCount } = await owner.query(text);
    if (rowCount !== null && rowCount > 0) problems.push(`${problem} (${rowCount})`);
  }
  const { rows: states } = await owner.query<{ held: Buffer }>('select held from held_drawers');
  const held = new DrawerSet(states[0]?.held ?? Buffer.alloc(0));
  const { rows: tokens } = await owner.query<{ id: string }>('select id from tokens');
  const strange = tokens.filter(({ id }) => !held.has(drawerOf(id))).length;
  if (strange > 0) problems.push(`${strange} tokens are in drawers that are not held`);
  return { held, problems };
}
