/** The requests to one endpoint that are in flight at the same time. */
const requestsPerEndpoint = 8;
/** The requests of one tenant in a worker, if it delivers to many endpoints at once. Each endpoint always has one. */
const requestsPerTenant = 64;

/**
 * Shares the requests of a tenant between the endpoints that are sent something at the moment. Otherwise a tenant with a
 * hundred of them, all to one host, would have hundreds of requests in flight: the worker would have little time for
 * other tenants, and the host would be attacked by the vault.
 */
export class RequestShares {
  readonly #busy = new Map<string, number>();

  /** Counts an endpoint of the tenant until the returned function is called. */
  enter(tenantId: string): () => void {
    this.#busy.set(tenantId, this.#countOf(tenantId) + 1);
    return () => {
      const count = this.#countOf(tenantId) - 1;
      if (count > 0) this.#busy.set(tenantId, count);
      else this.#busy.delete(tenantId);
    };
  }

  /** Returns how many requests an endpoint of the tenant may have in flight. */
  requestsFor(tenantId: string): number {
    const share = Math.floor(requestsPerTenant / Math.max(this.#countOf(tenantId), 1));
    return Math.max(1, Math.min(requestsPerEndpoint, share));
  }

  #countOf(tenantId: string): number {
    return this.#busy.get(tenantId) ?? 0;
  }
}
