import { nameOfTree } from '../../core/audit/log-tree.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { NodeContradiction } from './node-contradiction.ts';

/** Three looks of the job: another worker may take the next one, and nobody would take the alert back. */
const countedForMs = 15 * 60_000;

/** Tells an operator of nodes that contradict what was signed, and counts them for the alert. */
export class NodeContradictionLog {
  readonly #logger: Logger;
  readonly #told = new Map<string, { readonly reason: string; readonly at: number }>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** How many trees there were lately. */
  get count(): number {
    const since = performance.now() - countedForMs;
    for (const [tree, { at }] of this.#told) if (at < since) this.#told.delete(tree);
    return this.#told.size;
  }

  /** Each once, and again when it has another reason or had been over. */
  tell(contradictions: readonly NodeContradiction[]): void {
    if (contradictions.length === 0) return;
    const { count } = this;
    for (const { reason, ...tree } of contradictions) {
      const isKnown = count > 0 && this.#told.get(nameOfTree(tree))?.reason === reason;
      if (!isKnown) this.#logger.error('the log of a node contradicts what was signed', { error: reason });
      this.#told.set(nameOfTree(tree), { reason, at: performance.now() });
    }
  }
}
