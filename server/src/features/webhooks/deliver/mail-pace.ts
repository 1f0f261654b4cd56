import type { TenantId } from '../../../core/identity/ids.ts';

/** The creator of an endpoint chooses to whom mails about it go, and what name and address they contain. */
const mailsMax = 20;
const windowMs = 3_600_000;

/** Limits how many mails a worker sends for each tenant in an hour. */
export class MailPace {
  readonly #sentAt = new Map<TenantId, readonly number[]>();
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Counts a mail and returns 0, or returns how many seconds it has to wait. */
  count(tenantId: TenantId): number {
    const now = this.#now();
    for (const [known, times] of this.#sentAt) {
      const recent = times.filter((time) => time > now - windowMs);
      if (recent.length === 0) this.#sentAt.delete(known);
      else this.#sentAt.set(known, recent);
    }
    const times = this.#sentAt.get(tenantId) ?? [];
    const [oldest = now] = times;
    if (times.length >= mailsMax) return Math.ceil((oldest + windowMs - now) / 1_000);
    this.#sentAt.set(tenantId, [...times, now]);
    return 0;
  }

  /** Forgets the last mail, because it could not be sent. */
  takeBack(tenantId: TenantId): void {
    this.#sentAt.set(tenantId, (this.#sentAt.get(tenantId) ?? []).slice(0, -1));
  }
}
