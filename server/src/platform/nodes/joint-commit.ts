import { DomainError } from '../../core/errors/domain-error.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import type { Transaction } from '../database/database.ts';
import { isRefusedByPolicy, markUncertain, mayHaveHappened } from '../database/database-error.ts';
import { withoutDeadline } from '../waiting/deadline.ts';
import { decide, nameTransaction } from './joint-commit-store.ts';
import type { Nodes, VaultNode } from './nodes.ts';

type Work<T> = (tx: Transaction) => Promise<T>;

/** What is to be done on each node. It may be done again after it was rolled back. */
export type JointParts<T> = ReadonlyMap<VaultNode, Work<T>>;

/** What is claimed at home, so that others who want the same wait there, and what is done under the claims. */
export interface Claiming<Plan, T> {
  /** Claims, looks around, and says what is to be done. */
  readonly claim: (home: Transaction) => Promise<{ readonly plan: Plan; readonly parts: JointParts<T> }>;
  readonly release: Work<unknown>;
}

/**
 * Does something on several nodes: all of it or none. All nodes but the last prepare their parts. The last one commits, with a row that
 * decides for the others, and then these commit. Should this process end in between, a worker finds what was prepared and does what
 * the row says, or decides against it if there is none.
 */
export function commitJointly<T>(
  nodes: Nodes,
  tenantId: TenantId,
  parts: JointParts<T>,
): Promise<ReadonlyMap<VaultNode, T>> {
  return nodes.jointLanes.run(tenantId, () => new JointCommit<T>(nodes, tenantId).write(parts));
}

/**
 * Does something under claims that are made at home: all of it or none, wherever it is done. What is done at home is done in the
 * transaction that claims. If there is something to do elsewhere, that transaction is prepared first and ended last. So no claim is
 * lost, whatever becomes of this process or its connections, before everything that it stands for can be seen.
 */
export function commitClaimed<Plan, T>(
  nodes: Nodes,
  tenantId: TenantId,
  claiming: Claiming<Plan, T>,
): Promise<{ readonly plan: Plan; readonly done: ReadonlyMap<VaultNode, T> }> {
  const commit = () => new JointCommit<T>(nodes, tenantId).writeClaimed(claiming);
  return nodes.isAlone ? commit() : nodes.jointLanes.run(tenantId, commit);
}

interface Prepared {
  readonly node: VaultNode;
  readonly name: string;
  readonly hasClaims: boolean;
}

class JointCommit<T> {
  readonly #nodes: Nodes;
  readonly #tenantId: TenantId;
  readonly #id = crypto.randomUUID();
  /** What may be prepared by now. */
  readonly #prepared: Prepared[] = [];
  readonly #done = new Map<VaultNode, T>();

  constructor(nodes: Nodes, tenantId: TenantId) {
    this.#nodes = nodes;
    this.#tenantId = tenantId;
  }

  async writeClaimed<Plan>({ claim, release }: Claiming<Plan, T>): Promise<{ plan: Plan; done: Map<VaultNode, T> }> {
    const { home, claims } = this.#nodes;
    let elsewhere: JointParts<T> = new Map();
    const atHome = async (tx: Transaction) => {
      const { plan, parts } = await claim(tx);
      elsewhere = new Map([...parts].filter(([node]) => node !== home));
      // In one round trip: the claims are there for others until the transaction ends.
      await Promise.all([this.#writeIn(tx, home, parts.get(home)), release(tx)]);
      return plan;
    };
    const prepareAs = () => this.#name(home, { decider: this.#deciderOf(elsewhere), hasClaims: true });
    const plan = await this.#undoing(() => claims.forTenant(this.#tenantId, atHome, { prepareAs }));
    return { plan, done: await this.write(elsewhere) };
  }

  async write(parts: JointParts<T>): Promise<Map<VaultNode, T>> {
    const decider = this.#deciderOf(parts);
    if (decider === undefined) return this.#done;
    await this.#undoing(async () => {
      // One after the other, and everybody in the same order: two that wait for each other on different nodes would wait for ever.
      for (const node of this.#nodes.all) {
        const work = parts.get(node);
        if (work !== undefined) this.#done.set(node, await this.#writeAt(node, decider, work));
      }
    });
    await this.#end(true).catch((error: unknown) => {
      // It is decided, and happens as soon as the node can be reached.
      markUncertain(error);
      throw error;
    });
    return this.#done;
  }

  async #writeIn(tx: Transaction, node: VaultNode, work: Work<T> | undefined): Promise<void> {
    if (work !== undefined) this.#done.set(node, await work(tx));
  }

  #writeAt(node: VaultNode, decider: VaultNode, work: Work<T>): Promise<T> {
    const isLast = node === decider;
    const prepareAs = () => (isLast ? undefined : this.#name(node, { decider, hasClaims: false }));
    const write = async (tx: Transaction) => {
      const result = await work(tx);
      if (isLast && this.#prepared.length > 0) await this.#decide(tx);
      return result;
    };
    return this.#nodes.introducing(node, this.#tenantId, () =>
      node.database.forTenant(this.#tenantId, write, { prepareAs }),
    );
  }

  async #decide(tx: Transaction): Promise<void> {
    if (await decide(tx, { tenantId: this.#tenantId, id: this.#id, isCommitted: true })) return;
    throw new DomainError('overloaded', 'The request took too long and was undone. Try again shortly.');
  }

  /** Noted before it is prepared: whether it was is not known if the connection breaks meanwhile. */
  #name(node: VaultNode, of: { decider: VaultNode | undefined; hasClaims: boolean }): string | undefined {
    if (of.decider === undefined) return undefined;
    const { hasClaims } = of;
    const named = { tenantId: this.#tenantId, id: this.#id, node: node.name, decider: of.decider.name, hasClaims };
    const name = nameTransaction(named);
    this.#prepared.push({ node, name, hasClaims });
    return name;
  }

  /** Undoes everything if something fails, unless it may have been decided: then a worker finds what is left. */
  async #undoing<R>(work: () => Promise<R>): Promise<R> {
    try {
      return await work();
    } catch (error) {
      if (!mayHaveHappened(error)) await this.#end(false).catch(() => undefined);
      // A drawer has moved on.
      if (isRefusedByPolicy(error)) await this.#nodes.lookAgain();
      throw error;
    }
  }

  /** Whatever becomes of the request: nothing that is prepared may be left behind. Claims go last. */
  #end(isCommitted: boolean): Promise<void> {
    const endAll = (some: readonly Prepared[]) =>
      Promise.all(some.map(({ node, name }) => node.database.endPrepared(name, isCommitted)));
    return withoutDeadline(async () => {
      await endAll(this.#prepared.filter(({ hasClaims }) => !hasClaims));
      await endAll(this.#prepared.filter(({ hasClaims }) => hasClaims));
    });
  }

  #deciderOf(parts: JointParts<T>): VaultNode | undefined {
    return this.#nodes.all.findLast((node) => parts.has(node));
  }
}
