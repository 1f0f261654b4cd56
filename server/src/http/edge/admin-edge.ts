import { fastify, type FastifyInstance } from 'fastify';
import type { GroundFinding } from '../../platform/database/ground/ground-finding.ts';
import type { Metrics } from '../../platform/telemetry/metrics.ts';
import { withinTime } from '../../platform/waiting/within-time.ts';

/** A check that must pass before the server takes traffic. It throws if it fails. */
export interface ReadinessCheck {
  readonly name: string;
  readonly check: () => Promise<void>;
}

interface CheckResult {
  readonly name: string;
  readonly status: 'ok' | 'unavailable';
}

/** The timeout of a check. It is shorter than the timeout of typical probes, because a late response is useless. */
const checkTimeoutMs = 900;

/** Creates the server for health and metrics, on a separate port that is not reachable from outside. */
export function createAdminEdge(options: {
  readonly checks: readonly ReadinessCheck[];
  readonly metrics: Metrics;
  /** Returns problems that are no reason to send requests elsewhere, because no other server would do better. */
  readonly ground?: () => readonly GroundFinding[];
}): FastifyInstance {
  const { metrics, ground = () => [] } = options;
  const checks = options.checks.map(shareInFlight);
  const app = fastify({ logger: false, requestTimeout: 10_000 });

  app.get('/livez', () => ({ status: 'ok' }));
  app.get<{ Querystring: { verbose?: string } }>('/readyz', async (request, reply) => {
    const isVerbose = request.query.verbose !== undefined;
    const results = await (isVerbose ? Promise.all(checks.map(run)) : runUntilOneFails(checks));
    const isReady = results.every(({ status }) => status === 'ok');
    reply.code(isReady ? 200 : 503);
    const summary = { status: isReady ? 'ok' : 'unavailable' };
    return isVerbose ? { ...summary, checks: results, degraded: ground().filter(isDegraded).map(toDegraded) } : summary;
  });
  app.get('/metrics', async (_request, reply) => reply.type(metrics.contentType).send(await metrics.render()));
  return app;
}

function isDegraded({ verdict }: GroundFinding): boolean {
  return verdict === 'warn' || verdict === 'fail';
}

function toDegraded({ name, verdict, detail, promise, remedy }: GroundFinding) {
  return { name, status: verdict, detail, promise, remedy };
}

/**
 * Shares the result of a running check with all concurrent probes, so that many probes cost the database no more than
 * one.
 */
function shareInFlight({ name, check }: ReadinessCheck): ReadinessCheck {
  let running: Promise<void> | undefined;
  return {
    name,
    check: () => {
      running ??= withinTime(check(), checkTimeoutMs, 'The check took too long.').finally(() => {
        running = undefined;
      });
      return running;
    },
  };
}

/**
 * Runs the checks one at a time, so that a server that is about to stop says so at once, however slow its database is.
 */
async function runUntilOneFails(checks: readonly ReadinessCheck[]): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  for (const check of checks) {
    const result = await run(check);
    results.push(result);
    if (result.status !== 'ok') break;
  }
  return results;
}

async function run({ name, check }: ReadinessCheck): Promise<CheckResult> {
  try {
    await check();
    return { name, status: 'ok' };
  } catch {
    return { name, status: 'unavailable' };
  }
}
