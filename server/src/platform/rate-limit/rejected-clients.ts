import type { RateLimit, RateLimitScope } from './rate-limit-table.ts';

/** The name of the finding about clients that reached a limit. `doctor` asks the server of this machine for it. */
export const rejectionsName = 'rate limits';

/** A client that reached a limit. */
export interface RejectedClient {
  readonly scope: RateLimitScope;
  readonly limit: RateLimit;
  /** The address, or the network of an IPv6 address. */
  readonly client: string;
  /** The stored proxy that was called, if the limit counts its calls. */
  readonly proxyId?: string | undefined;
  readonly isOwn: boolean;
  readonly rejections: number;
  readonly lastAt: number;
}

/** The time for which a client is remembered after its last rejection. */
const rememberedMs = 15 * 60_000;
/** A client that keeps reaching a limit is reported this often. */
const reportEveryMs = 60_000;

/** Remembers the last clients that reached a limit, for the log, `doctor` and health. */
export class RejectedClients {
  readonly #clientsMax: number;
  readonly #now: () => number;
  readonly #clients = new Map<string, RejectedClient & { readonly reportedAt: number }>();

  constructor({ clientsMax = 100, now = () => performance.now() }: { clientsMax?: number; now?: () => number } = {}) {
    this.#clientsMax = clientsMax;
    this.#now = now;
  }

  /** Records a rejection. Returns the client if it should be reported, which is at most once a minute. */
  note(rejected: Omit<RejectedClient, 'rejections' | 'lastAt'>): RejectedClient | undefined {
    const now = this.#now();
    const name = `${rejected.scope} ${rejected.proxyId ?? ''} ${rejected.client}`;
    const last = this.#clients.get(name);
    const isReported = last === undefined || now - last.reportedAt >= reportEveryMs;
    const client = {
      ...rejected,
      rejections: (last?.rejections ?? 0) + 1,
      lastAt: now,
      reportedAt: isReported ? now : last.reportedAt,
    };
    // The map is ordered by the last rejection, so that the oldest client is dropped first.
    this.#clients.delete(name);
    this.#clients.set(name, client);
    const [oldest] = this.#clients.keys();
    if (this.#clients.size > this.#clientsMax && oldest !== undefined) this.#clients.delete(oldest);
    return isReported ? client : undefined;
  }

  /** The clients that were rejected recently, the last first. */
  get recent(): RejectedClient[] {
    const after = this.#now() - rememberedMs;
    return [...this.#clients.values()].filter(({ lastAt }) => lastAt >= after).toReversed();
  }
}

/** Returns which setting raises a limit, and for whom. */
export function adviceFor({ scope, isOwn }: Pick<RejectedClient, 'scope' | 'isOwn'>): string {
  if (scope === 'key-guessing') return 'Somebody sends invalid keys from there. See docs/runbooks/denied-burst.md.';
  const raise = isOwn
    ? `To raise it, set ${scope} in STRONGROOM_OWN_RATE_LIMITS.`
    : `To raise it for services of your own, name their network in STRONGROOM_OWN_NETWORKS; for everybody, set ${scope} in STRONGROOM_RATE_LIMITS.`;
  return `${raise} If the address is that of your proxy, set STRONGROOM_TRUSTED_PROXIES (docs/operate/limits.md).`;
}
