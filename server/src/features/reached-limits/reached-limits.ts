import type { Caller } from '../../core/identity/caller.ts';
import { toClientNetwork } from '../../core/network/client-network.ts';
import { successEvent } from '../../platform/audit/record/audit-event.ts';
import type { AuditLog } from '../../platform/audit/record/audit-log.ts';
import type { Database } from '../../platform/database/database.ts';
import type { RateLimiter } from '../../platform/rate-limit/rate-limiter.ts';
import { adviceFor, type RejectedClient } from '../../platform/rate-limit/rejected-clients.ts';
import { ClientKnowledgeStore } from './client-knowledge-store.ts';

/** A client that this server rejected within the last minutes. */
export interface ReachedLimit {
  readonly scope: string;
  /** An IPv4 address, or the network of an IPv6 address. */
  readonly client: string;
  readonly limit: number;
  readonly seconds: number;
  readonly rejections: number;
  readonly lastAt: Date;
  /** Which setting raises the limit, and for whom. */
  readonly advice: string;
}

/**
 * Shows members which clients reached a rate limit. Limits count addresses before anybody knows whose key is used, so a
 * member is shown only clients that the tenant knows already: those in its log, and callers of its own stored proxies.
 * Otherwise it would learn the addresses of other tenants' clients.
 */
export class ReachedLimits {
  readonly #database: Database;
  readonly #audit: AuditLog;
  readonly #limiter: Pick<RateLimiter, 'rejected'>;

  constructor(parts: {
    readonly database: Database;
    readonly audit: AuditLog;
    readonly limiter: Pick<RateLimiter, 'rejected'>;
  }) {
    this.#database = parts.database;
    this.#audit = parts.audit;
    this.#limiter = parts.limiter;
  }

  async list(caller: Caller): Promise<readonly ReachedLimit[]> {
    const { tenantId } = caller;
    const { rejected } = this.#limiter;
    const known =
      rejected.length === 0 ? [] : await this.#database.forTenant(tenantId, (tx) => keepKnown(tx, rejected));
    await this.#audit.append(caller, successEvent('tenant', tenantId, 'read'));
    return known.map(toReachedLimit);
  }
}

async function keepKnown(
  tx: ConstructorParameters<typeof ClientKnowledgeStore>[0],
  rejected: readonly RejectedClient[],
): Promise<RejectedClient[]> {
  const store = new ClientKnowledgeStore(tx);
  const networks = new Set((await store.listAddresses()).map(toClientNetwork));
  const proxies = new Set(await store.listProxies(rejected.flatMap(({ proxyId }) => proxyId ?? [])));
  return rejected.filter(({ client, proxyId }) =>
    proxyId === undefined ? networks.has(client) && client !== 'unknown' : proxies.has(proxyId),
  );
}

function toReachedLimit({ scope, client, limit, rejections, lastAt, isOwn }: RejectedClient): ReachedLimit {
  return {
    scope,
    client,
    limit: limit.limit,
    seconds: limit.windowMs / 1_000,
    rejections,
    // The limiter measures time since the start of the process.
    lastAt: new Date(Date.now() - (performance.now() - lastAt)),
    advice: adviceFor({ scope, isOwn }),
  };
}
