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
  /** What may be prepared by now, by name. */
  readonly #prepared = new Map<string, Prepared>();
  readonly #done = new Map<VaultNode, T>();

  constructor(nodes: Nodes, tenantId: TenantId) {
    this.#nodes = nodes;
    this.#tenantId = tenantId;
  }

  async writeClaimed<Plan>({ claim, release }: Claiming<Plan, T>): Promise<{ plan: Plan; done: Map<VaultNode, T> }> {
    const { home, claims } = this.#nodes;
    let elsewhere: JointParts<T> = new Map();
    const atHome = async (tx: Transaction) => {
      // It may be repeated, and then find something else to do than before.
      this.#prepared.clear();
      this.#done.clear();
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
    await this.#carryOut();
    return this.#done;
  }

  /** It is decided, and happens as soon as each node can be reached that still has its part. */
  async #carryOut(): Promise<void> {
    try {
      // A worker would have ended it later. So a node has lost it, as in a failover to a standby that did not have it.
      if (!(await this.#end(true))) throw partMissing();
    } catch (error) {
      markUncertain(error);
      throw error;
    }
  }

  async #writeIn(tx: Transaction, node: VaultNode, work: Work<T> | undefined): Promise<void> {
    if (work !== undefined) this.#done.set(node, await work(tx));
  }

  #writeAt(node: VaultNode, decider: VaultNode, work: Work<T>): Promise<T> {
    const isLast = node === decider;
    const prepareAs = () => (isLast ? undefined : this.#name(node, { decider, hasClaims: false }));
    const write = async (tx: Transaction) => {
      const result = await work(tx);
      if (isLast && this.#prepared.size > 0) await this.#decide(tx);
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
    this.#prepared.set(name, { node, name, hasClaims });
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

  /** Whatever becomes of the request: nothing that is prepared may be left behind. Claims go last. False if something was not there. */
  #end(isCommitted: boolean): Promise<boolean> {
    const endAll = async (hasClaims: boolean) => {
      const some = [...this.#prepared.values()].filter((one) => one.hasClaims === hasClaims);
      const ended = await Promise.all(some.map(({ node, name }) => node.database.endPrepared(name, isCommitted)));
      return !ended.includes(false);
    };
    return withoutDeadline(async () => {
      const areDone = await endAll(false);
      return (await endAll(true)) && areDone;
    });
  }

  #deciderOf(parts: JointParts<T>): VaultNode | undefined {
    return this.#nodes.all.findLast((node) => parts.has(node));
  }
}

function partMissing(): DomainError {
  return new DomainError(
    'overloaded',
    'A database of this vault no longer has its part of the request. Operators: see "After a restore" in docs/operate/scale-out.md.',
  );
}
