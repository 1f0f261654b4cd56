import type { CredentialDirectory } from '../../features/applications/index.ts';
import type { BodyMemory } from '../../http/bodies/body-memory.ts';
import { addBatchMetrics } from '../../platform/database/batch-meter.ts';
import { addPoolMetrics } from '../../platform/database/pool-metrics.ts';
import type { RateLimiter } from '../../platform/rate-limit/rate-limiter.ts';
import { addCacheMetrics } from '../../platform/telemetry/cache-use.ts';
import { Metrics } from '../../platform/telemetry/metrics.ts';
import { addTraceMetrics } from '../../platform/traces/trace-metrics.ts';
import type { VaultCore } from '../wiring/vault-core.ts';

/**
 * Creates the metrics of a server other than those of requests and proxy calls. `docs/metrics.md` lists all metrics.
 */
export function createServerMetrics(parts: {
  readonly core: VaultCore;
  readonly directory: CredentialDirectory;
  readonly limiter: RateLimiter;
  readonly bodyMemory: BodyMemory;
}): Metrics {
  const { core, directory, limiter, bodyMemory } = parts;
  const metrics = new Metrics();
  addPoolMetrics(metrics, new Map([['vault', core.database]]));
  addBatchMetrics(metrics, core.database.batches);
  addCacheMetrics(
    metrics,
    new Map([
      ['tenant-keys', () => core.keyring.use],
      ['api-keys', () => directory.uses.keys],
      ['sessions', () => directory.uses.sessions],
      ['key-origins', () => directory.uses.origins],
    ]),
  );
  metrics.addGauges(
    'strongroom_cache_ends_seconds',
    'Time until the first entries of a cache can no longer be used. Infinite while they can be refreshed.',
    'cache',
    () => new Map([['tenant-keys', (core.keyring.endsInMs ?? Number.POSITIVE_INFINITY) / 1_000]]),
  );
  metrics.addGauges(
    'strongroom_tenant_root_key_ends_seconds',
    "Time until values of a tenant can no longer be decrypted, because its owner's root key fails. Infinite while it works.",
    'root_key',
    () => new Map([...core.keyring.ownKeysEndInMs].map(([name, milliseconds]) => [name, milliseconds / 1_000])),
  );
  addLimiterMetrics(metrics, limiter);
  addTraceMetrics(metrics, core.database.tracer);
  metrics.addGauge(
    'strongroom_request_body_bytes_held',
    'Memory held by the bodies of requests in progress.',
    () => bodyMemory.heldBytes,
  );
  return metrics;
}

function addLimiterMetrics(metrics: Metrics, limiter: RateLimiter): void {
  metrics.addCounts('strongroom_rate_limit_refusals_total', 'Requests rejected by a rate limit.', ['limit'], () =>
    [...limiter.refusals].map(([limit, count]) => ({ labels: { limit }, count })),
  );
  metrics.addGauges(
    'strongroom_rate_limit_clients',
    'Clients that a rate limit is counting in this process.',
    'limit',
    () => limiter.clients,
  );
  if (limiter.isShared === undefined) return;
  metrics.addGauge(
    'strongroom_rate_limits_shared',
    'Whether servers count requests together in Redis (1), or each counts its own share because Redis is unavailable (0).',
    () => (limiter.isShared === true ? 1 : 0),
  );
  metrics.addGauge(
    'strongroom_rate_limits_servers',
    'Servers that were counting together when Redis was last reachable.',
    () => limiter.serversHeard,
  );
}
