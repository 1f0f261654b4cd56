import { DomainError } from '../../core/errors/domain-error.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import { withinDeadline } from './deadline.ts';

export interface TenantPaceOptions {
  /** The event loop time that the heavy work of one tenant may use, in milliseconds per second. */
  readonly msPerSecond: number;
  /** The event loop time that a tenant may use at once after being idle, in milliseconds. */
  readonly burstMs: number;
  /** The maximum number of waiting requests per tenant. Further requests are rejected immediately. */
  readonly waitingMax: number;
  /** The time that a request waits before it is rejected. It is shorter if the request has less time remaining. */
  readonly waitMaxMs: number;
  /**
   * The time for which a tenant's requests begin one at a time after the tenant was in debt. The cost of a request is
   * known only after it has begun.
   */
  readonly heavyForMs: number;
  /** The time after which the next request begins in any case, because a request may be waiting for something else. */
  readonly gapMaxMs: number;
  /**
   * The time without requests from other tenants after which a tenant counts as the only one. It delays nobody then, so
   * it is not paced.
   */
  readonly aloneAfterMs: number;
}

export const tenantPaceOptions: TenantPaceOptions = {
  msPerSecond: 200,
  burstMs: 200,
  waitingMax: 200,
  waitMaxMs: 5_000,
  heavyForMs: 10_000,
  gapMaxMs: 250,
  aloneAfterMs: 60_000,
};

type Leave = () => void;

interface Waiting {
  readonly start: (leave: Leave) => void;
  readonly timer: NodeJS.Timeout;
}

interface TenantState {
  /** The time at which the tenant has paid off everything that it was charged. */
  paidAt: number;
  /** The time until which its requests begin one at a time. */
  heavyUntil: number;
  /** True if a request has begun and is not known to have finished. */
  isBusy: boolean;
  timer: NodeJS.Timeout | undefined;
  readonly waiting: Set<Waiting>;
}

/**
 * Limits how much of the event loop one tenant may use. One event loop serves all tenants, so they wait for each
 * other's computations. Heavy work is charged to its tenant by the event loop time that it takes. A tenant that has
 * used more than its allowance waits before its next request is handled. Requests of the usual size are not charged, so
 * most tenants are never delayed.
 */
export class TenantPace {
  readonly #options: TenantPaceOptions;
  readonly #burstSpan: number;
  readonly #tenants = new Map<TenantId, TenantState>();
  #lastTenant: TenantId | undefined;
  #sharedUntil = Number.NEGATIVE_INFINITY;

  constructor(options: TenantPaceOptions = tenantPaceOptions) {
    this.#options = options;
    this.#burstSpan = this.#toSpan(options.burstMs);
  }

  /**
   * Waits until a request of the tenant may begin. Returns undefined if the tenant has not been in debt lately.
   * Otherwise, the caller must call the returned function when the request is done.
   */
  enter(tenantId: TenantId): Leave | Promise<Leave> | undefined {
    this.#noteTenant(tenantId);
    const state = this.#tenants.get(tenantId);
    if (state === undefined || !this.isShared) return undefined;
    const now = performance.now();
    if (state.waiting.size === 0 && this.#waitMsOf(state) <= 0) {
      if (now >= state.heavyUntil) {
        if (now >= state.paidAt) this.#tenants.delete(tenantId);
        return undefined;
      }
      if (!state.isBusy) return this.#begin(state);
    }
    if (state.waiting.size >= this.#options.waitingMax) return Promise.reject(overloaded());
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        start: (leave) => {
          clearTimeout(waiting.timer);
          resolve(leave);
        },
        timer: setTimeout(() => {
          state.waiting.delete(waiting);
          reject(overloaded());
        }, withinDeadline(this.#options.waitMaxMs)),
      };
      state.waiting.add(waiting);
      this.#schedule(state);
    });
  }

  /** Charges a tenant for this many milliseconds of event loop time, whether already taken or about to be. */
  charge(tenantId: TenantId, milliseconds: number): void {
    const now = performance.now();
    if (milliseconds <= 0) return;
    // If a tenant is the only one, it delays nobody.
    if (!this.isShared) return;
    const state = this.#tenants.get(tenantId) ?? {
      paidAt: now,
      heavyUntil: Number.NEGATIVE_INFINITY,
      isBusy: false,
      timer: undefined,
      waiting: new Set(),
    };
    this.#tenants.set(tenantId, state);
    state.paidAt = Math.max(state.paidAt, now) + this.#toSpan(milliseconds);
    if (this.#waitMsOf(state) > 0) state.heavyUntil = state.paidAt + this.#options.heavyForMs;
  }

  /** Returns how long the next request of a tenant would wait if no other request were waiting. */
  waitMsOf(tenantId: TenantId): number {
    const state = this.#tenants.get(tenantId);
    return state === undefined ? 0 : Math.max(0, this.#waitMsOf(state));
  }

  /** True if more than one tenant has sent requests lately. */
  get isShared(): boolean {
    return performance.now() < this.#sharedUntil;
  }

  #noteTenant(tenantId: TenantId): void {
    if (tenantId === this.#lastTenant) return;
    if (this.#lastTenant !== undefined) this.#sharedUntil = performance.now() + this.#options.aloneAfterMs;
    this.#lastTenant = tenantId;
  }

  #schedule(state: TenantState): void {
    if (state.isBusy || state.timer !== undefined || state.waiting.size === 0) return;
    // A timer can fire early by a fraction of a millisecond.
    const waitMs = Math.ceil(this.#waitMsOf(state));
    state.timer = setTimeout(() => {
      state.timer = undefined;
      if (this.#waitMsOf(state) > 0) this.#schedule(state);
      else this.#startNext(state);
    }, waitMs);
  }

  #startNext(state: TenantState): void {
    const [next] = state.waiting;
    if (next === undefined) return;
    state.waiting.delete(next);
    next.start(this.#begin(state));
  }

  #begin(state: TenantState): Leave {
    state.isBusy = true;
    let isUnderWay = true;
    const leave = () => {
      if (!isUnderWay) return;
      isUnderWay = false;
      clearTimeout(gap);
      state.isBusy = false;
      this.#schedule(state);
    };
    const gap = setTimeout(leave, this.#options.gapMaxMs);
    return leave;
  }

  #waitMsOf({ paidAt }: TenantState): number {
    return paidAt - this.#burstSpan - performance.now();
  }

  /** Returns the time in which a tenant earns this many milliseconds. */
  #toSpan(milliseconds: number): number {
    return (milliseconds * 1_000) / this.#options.msPerSecond;
  }
}

/** The pace of this process. There is only one, because a process has one event loop. */
export const loopPace = new TenantPace();

function overloaded(): DomainError {
  return new DomainError(
    'overloaded',
    'The tenant has exceeded its share of expensive requests. Wait for the number of seconds in Retry-After.',
  );
}
