import { DomainError } from '../../core/errors/domain-error.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import { withinDeadline } from './deadline.ts';

export interface TenantPaceOptions {
  /** How much of the event loop's time the heavy work of one tenant may take, in milliseconds a second. */
  readonly msPerSecond: number;
  /** What a tenant that was quiet may take at once, in milliseconds. */
  readonly burstMs: number;
  /** How many requests of one tenant may wait; more are turned away at once. */
  readonly waitingMax: number;
  /** How long a request waits before it is turned away; less if it has less time left. */
  readonly waitMaxMs: number;
  /** What a request will take is known once it has begun: of a tenant that was in debt so lately, one begins at a time. */
  readonly heavyForMs: number;
  /** The next one begins after so long in any case: a request may wait for somebody else. */
  readonly gapMaxMs: number;
  /** A tenant that has been the only one for so long keeps nobody waiting, and is not paced. */
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
  /** When everything that the tenant has been charged for is paid. */
  paidAt: number;
  /** Until then its requests begin one at a time. */
  heavyUntil: number;
  /** Whether a request has begun and is not known to be done. */
  isBusy: boolean;
  timer: NodeJS.Timeout | undefined;
  readonly waiting: Set<Waiting>;
}

/**
 * One event loop serves all tenants, so what one of them has computed the others wait for. Heavy work is charged to its
 * tenant by what it takes of the loop, and a tenant that has taken more than its allowance waits before its next request
 * is handled. Requests of the usual size are charged nothing, so most tenants never meet this.
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

  /** Undefined where the tenant has not been in debt lately. Otherwise call what it gives when the request is done. */
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

  /** Says that so many milliseconds of the loop were taken for a tenant, or are about to be. */
  charge(tenantId: TenantId, milliseconds: number): void {
    const now = performance.now();
    if (milliseconds <= 0) return;
    // Alone it costs nobody anything.
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

  /** How long the next request of a tenant would wait, were it the only one. */
  waitMsOf(tenantId: TenantId): number {
    const state = this.#tenants.get(tenantId);
    return state === undefined ? 0 : Math.max(0, this.#waitMsOf(state));
  }

  /** Whether more than one tenant has asked for anything lately. */
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
    // A timer can be early by a part of a millisecond.
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

  /** The time in which an allowance of so many milliseconds comes together. */
  #toSpan(milliseconds: number): number {
    return (milliseconds * 1_000) / this.#options.msPerSecond;
  }
}

/** One for each process, as there is one event loop. */
export const loopPace = new TenantPace();

function overloaded(): DomainError {
  return new DomainError(
    'overloaded',
    'The tenant has exceeded its share of expensive requests. Wait for the number of seconds in Retry-After.',
  );
}
