import type { FastifyInstance } from 'fastify';
import { BodyMemory } from '../../http/bodies/body-memory.ts';
import { createAdminEdge, type ReadinessCheck } from '../../http/edge/admin-edge.ts';
import type { ChangeFeed } from '../../platform/database/changes/change-feed.ts';
import { RateLimiter } from '../../platform/rate-limit/rate-limiter.ts';
import type { Metrics } from '../../platform/telemetry/metrics.ts';
import type { VaultCore } from '../wiring/vault-core.ts';
import { Drain } from './drain.ts';
import { addCertificateMetrics } from './key-metrics.ts';
import type { ServerBase } from './open-base.ts';
import { claimCheck, databaseChecks, notStopping } from './readiness.ts';
import { createServerMetrics } from './server-metrics.ts';
import type { ServerStart } from './server-start.ts';
import { limitFindings, limitLog } from './watch-limits.ts';
import { watchGround } from './watch-ground.ts';

/**
 * The time for which the feed can be silent before the server becomes unready. Without the feed, every key is looked up
 * in the database. A short period of that is no reason to send requests elsewhere.
 */
const silenceMaxMs = 5_000;

/** The parts that health and metrics report on, and the server that reports them. */
export interface ServerAdmin {
  readonly limiter: RateLimiter;
  readonly bodyMemory: BodyMemory;
  readonly metrics: Metrics;
  readonly drain: Drain;
  /** The admin server, which responds until the last request is served. */
  readonly admin: FastifyInstance;
}

export function openAdmin(
  { config, logger }: ServerStart,
  { core, feed, directory }: ServerBase,
  opened: AsyncDisposableStack,
): ServerAdmin {
  const limiter = opened.adopt(new RateLimiter({ ...config.limits, ...limitLog(logger) }), (it) => it.close());
  const bodyMemory = new BodyMemory();
  const metrics = createServerMetrics({ core, directory, limiter, bodyMemory });
  addCertificateMetrics(metrics, config);
  const ground = opened.adopt(watchGround(core.database, config.database, { metrics, logger }), (it) => it.stop());
  const drain = new Drain(config.drain, logger);
  const admin = opened.adopt(
    createAdminEdge({
      metrics,
      checks: readinessChecks(core, feed, drain),
      ground: () => [...ground.findings, ...limitFindings(limiter)],
    }),
    (it) => it.close(),
  );
  return { limiter, bodyMemory, metrics, drain, admin };
}

function readinessChecks(core: VaultCore, feed: ChangeFeed, drain: Drain): ReadinessCheck[] {
  return [
    notStopping(() => drain.hasBegun),
    ...databaseChecks(core.database),
    claimCheck('change feed', () => feed.silentMs < silenceMaxMs),
  ];
}
