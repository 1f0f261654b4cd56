import { migrate } from '../../server/src/platform/database/migrator.ts';
import { LocalPostgres } from '../../server/src/platform/local-postgres/local-postgres.ts';
import { DrawerSet } from '../../server/src/platform/nodes/drawers.ts';
import { addNode } from '../../server/src/platform/nodes/node-adding-store.ts';
import { BenchVault } from './bench-vault.ts';
import { withClient } from './with-client.ts';

/** What every PostgreSQL server of such a vault is started with, home too: small, since all of them share one machine. */
const nodeSettings = {
  shared_buffers: '128MB',
  max_wal_size: '4GB',
  checkpoint_timeout: '30min',
  max_prepared_transactions: '20',
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.track': 'all',
};

/** PostgreSQL servers of their own that hold all tokens of a vault, as many drawers each. */
export class NodeDatabases {
  readonly all: readonly { readonly name: string; readonly postgres: LocalPostgres }[];

  static async start(count: number): Promise<NodeDatabases> {
    const all: { name: string; postgres: LocalPostgres }[] = [];
    for (let number = 1; number <= count; number += 1) {
      const postgres = await LocalPostgres.start({ password: crypto.randomUUID(), settings: nodeSettings });
      all.push({ name: `node-${number}`, postgres });
    }
    return new NodeDatabases(all);
  }

  private constructor(all: NodeDatabases['all']) {
    this.all = all;
  }

  get setting(): string {
    return this.all.map(({ name, postgres }) => `${name}=${postgres.url}`).join(' ');
  }

  /** Only while the vault is empty. */
  async join(homeUrl: string): Promise<void> {
    if (this.all.length === 0) return;
    for (const { name, postgres } of this.all) {
      await migrate(postgres.url);
      await addNode({ name: 'home', ownerUrl: homeUrl }, { name, ownerUrl: postgres.url });
    }
    await hold(homeUrl, DrawerSet.of([]));
    const drawers = DrawerSet.all().list();
    for (const [index, { postgres }] of this.all.entries()) {
      await hold(postgres.url, DrawerSet.of(drawers.filter((drawer) => drawer % this.all.length === index)));
    }
  }

  async stop(): Promise<void> {
    for (const { postgres } of this.all) await postgres.stop();
  }
}

/** A vault whose tokens lie on so many nodes; on none of them but in its one database if that is zero. */
export async function startVaultOn(count: number): Promise<{ vault: BenchVault; nodes: NodeDatabases }> {
  const nodes = await NodeDatabases.start(count);
  const settings = count === 0 ? {} : { STRONGROOM_NODES: nodes.setting };
  const vault = await BenchVault.start('apart', settings, nodeSettings, (homeUrl) => nodes.join(homeUrl));
  return { vault, nodes };
}

async function hold(url: string, drawers: DrawerSet): Promise<void> {
  await withClient(url, (client) => client.query('update held_drawers set held = $1', [drawers.toBytes()]));
}
