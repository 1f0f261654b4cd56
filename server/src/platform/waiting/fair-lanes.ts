import { DomainError } from '../../core/errors/domain-error.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import { withinDeadline } from './deadline.ts';

/** The owner of work: one tenant, or the vault itself (keys, sign-in, jobs, sealing). */
export type Lane = TenantId | 'vault';

export interface FairLanesOptions {
  /** The number of slots, which limits the work in progress. */
  readonly slotsMax: number;
  /** The number of slots that one tenant may hold. The default is most of them. */
  readonly tenantMax?: number;
  /** The maximum number of waiting entries per lane. Further entries are rejected immediately. */
  readonly waitingMax: number;
  /** The time that work waits before it is rejected. It is shorter if the request has less time remaining. */
  readonly waitMaxMs: number;
}

interface Waiting {
  readonly start: () => void;
  readonly timer: NodeJS.Timeout;
}

interface LaneState {
  held: number;
  readonly waiting: Set<Waiting>;
}

/**
 * Shares slots, such as the connections of a pool, fairly between tenants. One tenant can hold only a part of them, and
 * all tenants together leave one slot for the vault. A free slot goes to the lane that holds the fewest. Lanes that
 * hold equally many take turns.
 */
export class FairLanes {
  readonly #options: FairLanesOptions;
  readonly #tenantsMax: number;
  readonly #tenantMax: number;
  /** Lanes that hold or wait for a slot. The one that was served last is at the end. */
  readonly #lanes = new Map<Lane, LaneState>();
  #held = 0;
  #heldByTenants = 0;

  constructor(options: FairLanesOptions) {
    this.#options = options;
    const { tenantMax, tenantsMax } = sharesOf(options.slotsMax);
    this.#tenantMax = options.tenantMax ?? tenantMax;
    this.#tenantsMax = tenantsMax;
  }

  /** Runs the work as soon as a slot is free. */
  async run<T>(lane: Lane, work: () => Promise<T>): Promise<T> {
    const leave = await this.enter(lane);
    try {
      return await work();
    } finally {
      leave();
    }
  }

  /** Resolves when a slot is assigned. Call the returned function when the work is done. */
  enter(lane: Lane): Promise<() => void> {
    const state = this.#stateOf(lane);
    if (state.waiting.size === 0 && this.#hasRoom(lane, state)) return Promise.resolve(this.#take(lane, state));
    if (state.waiting.size >= this.#options.waitingMax) return Promise.reject(overloaded());
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        start: () => {
          clearTimeout(waiting.timer);
          resolve(this.#take(lane, state));
        },
        timer: setTimeout(() => {
          state.waiting.delete(waiting);
          this.#forgetIfIdle(lane, state);
          reject(overloaded());
        }, withinDeadline(this.#options.waitMaxMs)),
      };
      state.waiting.add(waiting);
    });
  }

  get waitingCount(): number {
    return [...this.#lanes.values()].reduce((sum, { waiting }) => sum + waiting.size, 0);
  }

  #stateOf(lane: Lane): LaneState {
    const known = this.#lanes.get(lane);
    if (known !== undefined) return known;
    const state = { held: 0, waiting: new Set<Waiting>() };
    this.#lanes.set(lane, state);
    return state;
  }

  #hasRoom(lane: Lane, { held }: LaneState): boolean {
    if (this.#held >= this.#options.slotsMax) return false;
    return lane === 'vault' || (held < this.#tenantMax && this.#heldByTenants < this.#tenantsMax);
  }

  #take(lane: Lane, state: LaneState): () => void {
    this.#count(lane, state, 1);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#count(lane, state, -1);
      this.#serveNext();
      this.#forgetIfIdle(lane, state);
    };
  }

  #count(lane: Lane, state: LaneState, change: 1 | -1): void {
    state.held += change;
    this.#held += change;
    this.#lanes.delete(lane);
    this.#lanes.set(lane, state);
    if (lane !== 'vault') this.#heldByTenants += change;
  }

  #serveNext(): void {
    const served = [...this.#lanes]
      .filter(([lane, state]) => state.waiting.size > 0 && this.#hasRoom(lane, state))
      .reduce<LaneState | undefined>(
        (best, [, state]) => (best === undefined || state.held < best.held ? state : best),
        undefined,
      );
    const [next] = served?.waiting ?? [];
    if (served === undefined || next === undefined) return;
    served.waiting.delete(next);
    next.start();
  }

  #forgetIfIdle(lane: Lane, { held, waiting }: LaneState): void {
    if (held === 0 && waiting.size === 0) this.#lanes.delete(lane);
  }
}

/**
 * Returns how many slots one tenant may hold, and how many all tenants may hold together. With three or fewer slots,
 * none is reserved for the vault.
 */
function sharesOf(slotsMax: number): { readonly tenantMax: number; readonly tenantsMax: number } {
  const tenantsMax = slotsMax < 4 ? slotsMax : slotsMax - 1;
  const reserve = Math.max(1, Math.floor(slotsMax / 4));
  return { tenantMax: Math.max(1, tenantsMax - reserve), tenantsMax };
}

function overloaded(): DomainError {
  return new DomainError('overloaded', 'The vault is at capacity. Try again shortly.');
}
