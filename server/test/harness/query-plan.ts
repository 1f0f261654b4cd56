import type { TestDatabase } from './test-database.ts';
import type { SentStatement } from './statement-tap.ts';

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Plans?: readonly PlanNode[];
}

/** The plan that PostgreSQL chooses for a statement with the server's role and tenant. */
export class QueryPlan {
  readonly #nodes: readonly PlanNode[];

  /**
   * Explains a statement. For a named statement it uses the generic plan, which fits any values and to which PostgreSQL
   * switches after some calls.
   */
  static async explain(database: TestDatabase, tenantId: string, statement: SentStatement): Promise<QueryPlan> {
    const { name, text, values = [] } = statement;
    const client = await database.owner.connect();
    try {
      await client.query('begin');
      await client.query('set local role strongroom_app');
      await client.query(`select set_config('app.tenant_id', $1, true)`, [tenantId]);
      const explain = async () => {
        if (name === undefined) return client.query(`explain (format json) ${text}`, [...values]);
        await client.query('set local plan_cache_mode = force_generic_plan');
        await client.query(`prepare explained as ${text}`);
        return client.query(`explain (format json) execute explained(${values.map(() => 'null').join(', ')})`);
      };
      const { rows } = await explain();
      const [{ 'QUERY PLAN': plans }] = rows as [{ 'QUERY PLAN': readonly { readonly Plan: PlanNode }[] }];
      return new QueryPlan(plans.flatMap(({ Plan }) => listNodes(Plan)));
    } finally {
      await client.query('rollback');
      await client.query('deallocate all');
      client.release();
    }
  }

  private constructor(nodes: readonly PlanNode[]) {
    this.#nodes = nodes;
  }

  /** The tables that are read by a sequential scan. */
  get scannedTables(): string[] {
    return this.#nodes.flatMap((node) => (node['Node Type'] === 'Seq Scan' ? (node['Relation Name'] ?? []) : []));
  }

  get indexes(): string[] {
    return [...new Set(this.#nodes.flatMap((node) => node['Index Name'] ?? []))];
  }

  /** The index conditions, which determine the range of an index scan. */
  get indexConditions(): string[] {
    return this.#nodes.flatMap((node) => node['Index Cond'] ?? []);
  }
}

function listNodes(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(listNodes)];
}
