import type { TenantId } from '../../core/identity/ids.ts';
import { isKeyVersionClosed, isRefusedByPolicy } from '../../platform/database/database-error.ts';
import type { KnownDrawers } from '../../platform/nodes/known-drawers.ts';
import type { Nodes, VaultNode } from '../../platform/nodes/nodes.ts';
import { OutdatedRoute } from '../../platform/waiting/route.ts';
import { countSlot, insertFreeIn, type InsertRow, unlimitedSets } from '../tokens/index.ts';
import { type ImportPlan, PlannedBatch } from './import-plan.ts';
import { listTakenOnNodes } from './taken-ids.ts';
import { type ImportState, TokenImportStore } from './token-import-store.ts';

/** A row and where it is in the file. */
export interface PlacedRow {
  readonly line: number;
  readonly end: number;
  readonly row: InsertRow;
}

/** What was planned is not what the import is at any more. */
export class PlanRefused extends Error {}

/**
 * Writes rows to the nodes that hold their ids. Each node writes its part in one transaction, together with the lines that it has; the position
 * in the file moves afterwards, at home. After a crash in between, the batch is repeated with the ids that were planned for it: a part
 * that has been written is left alone, and a row that came to a node with its drawer is known by its id, as no token had it before.
 */
export class SpreadBatches {
  readonly #nodes: Nodes;
  readonly #tenantId: TenantId;
  readonly #source: Buffer;
  #plan: PlannedBatch | undefined;
  /** Whether rows of the plan may have been written already. */
  #isRepeated: boolean;
  readonly #introduced = new Set<VaultNode>();

  constructor(parts: { nodes: Nodes; tenantId: TenantId; source: Buffer; plan: ImportPlan | undefined }) {
    this.#nodes = parts.nodes;
    this.#tenantId = parts.tenantId;
    this.#source = parts.source;
    this.#plan = parts.plan === undefined ? undefined : new PlannedBatch(parts.plan);
    this.#isRepeated = parts.plan !== undefined;
  }

  /** Whether the row of a line has been planned, by this run or one before. */
  isPlanned(line: number): boolean {
    return this.#plan?.has(line) === true;
  }

  /** The rows whose ids were taken. Throws `PlanRefused` if another process has moved the import. */
  async write(rows: readonly PlacedRow[], from: ImportState): Promise<ReadonlySet<InsertRow>> {
    const isPlanned = rows.every(({ line }) => this.isPlanned(line));
    const plan = isPlanned && this.#plan !== undefined ? this.#plan : await this.#makePlan(rows, from);
    const taken = new Set<InsertRow>();
    for (let waiting = rows; waiting.length > 0; ) {
      const { known } = this.#nodes;
      const groups = await this.#nodes.group(waiting.map(({ row }) => row.id));
      const left: PlacedRow[] = [];
      for (const [node, ids] of groups) {
        const own = new Set<string>(ids);
        const part = waiting.filter(({ row }) => own.has(row.id));
        const outcome = await this.#writePart(node, part, { plan, known });
        if (outcome === 'moved') left.push(...part);
        else for (const row of outcome) taken.add(row);
      }
      waiting = left;
    }
    // A part may be written again after this, if another is refused by its database.
    this.#isRepeated = true;
    return taken;
  }

  async #makePlan(rows: readonly PlacedRow[], from: ImportState): Promise<PlannedBatch> {
    const ids = rows.map(({ row }) => row.id);
    const plan: ImportPlan = {
      id: crypto.randomUUID(),
      rows: rows.map(({ line, row }) => [line, row.id]),
      taken: await listTakenOnNodes(this.#nodes, this.#tenantId, ids),
    };
    // Waits for the disk: rows must not outlive the plan that knows their ids.
    const isStored = await this.#nodes.home.database.forTenant(this.#tenantId, (tx) =>
      new TokenImportStore(tx, this.#tenantId).plan(this.#source, from, plan, this.#plan?.id),
    );
    if (!isStored) throw new PlanRefused();
    this.#plan = new PlannedBatch(plan);
    this.#isRepeated = false;
    return this.#plan;
  }

  async #writePart(
    node: VaultNode,
    part: readonly PlacedRow[],
    { plan, known }: { readonly plan: PlannedBatch; readonly known: KnownDrawers },
  ): Promise<readonly InsertRow[] | 'moved'> {
    if (!this.#introduced.has(node)) await this.#introduce(node);
    const write = () => this.#nodes.route(known, () => this.#writeOn(node, part, plan));
    try {
      return await write();
    } catch (error) {
      if (isKeyVersionClosed(error) && node !== this.#nodes.home) {
        await this.#introduce(node);
        return write();
      }
      if (error instanceof OutdatedRoute) {
        await this.#nodes.renew(known);
        return 'moved';
      }
      const ids = part.map(({ row }) => row.id);
      if (isRefusedByPolicy(error) && (await this.#nodes.listGone(node, ids, known)).length > 0) return 'moved';
      throw error;
    }
  }

  async #introduce(node: VaultNode): Promise<void> {
    await this.#nodes.introduce(node, this.#tenantId);
    this.#introduced.add(node);
  }

  /** Waits for the disk: the position that moves afterwards is in another database. */
  #writeOn({ database }: VaultNode, part: readonly PlacedRow[], plan: PlannedBatch): Promise<InsertRow[]> {
    return database.forTenant(this.#tenantId, async (tx) => {
      const store = new TokenImportStore(tx, this.#tenantId);
      // By line, and not by how far: rows may come to this node after others that lie behind them, if their drawer moves.
      const written = new Set(await store.listWritten(this.#source, plan.id));
      const due = part.filter(({ line }) => !written.has(line) && !plan.isTaken(line));
      const rows = due.map(({ row }) => row);
      const target = { tenantId: this.#tenantId, slot: countSlot(), setLimits: unlimitedSets };
      const outcomes = rows.length === 0 ? [] : await insertFreeIn(tx, target, rows);
      const refused = rows.filter((_, index) => outcomes[index]?.createdAt === undefined);
      const own = new Set(
        this.#isRepeated && refused.length > 0 ? await store.listWithoutCreator(refused.map(({ id }) => id)) : [],
      );
      const lines = [...written, ...due.map(({ line }) => line)];
      if (due.length > 0) await store.noteWritten(this.#source, plan.id, lines);
      const others = refused.filter(({ id }) => !own.has(id));
      return [...part.filter(({ line }) => plan.isTaken(line)).map(({ row }) => row), ...others];
    });
  }
}
