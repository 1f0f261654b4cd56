import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import type { TenantId } from '../../core/identity/ids.ts';
import type { LogService } from '../logs/index.ts';
import { ExposureQuery, toPeriod, toSubject, ViewersQuery } from './exposure-query.ts';
import { toExposureView, toViewersView } from './exposure-schemas.ts';
import { ExposureService, toSubjectFilter, toTokenFilter } from './exposure-service.ts';
import { ExposureView, ViewersView } from './exposure-view-schemas.ts';
import { SubjectExposureTally } from './subject-exposure.ts';
import { TokenViewersTally } from './token-viewers.ts';
import { exposureExamples } from './exposure-examples.ts';

/** The maximum that one request may read and return. The command line allows more. */
const limits = { recordsMax: 100_000, linesMax: 10_000 };
const bounds = `Reads at most ${limits.recordsMax} records and returns at most ${limits.linesMax} lines; if there are more,
the response is 400 and says so. \`strongroom audit\` has larger limits.`;
const config = {
  permission: 'log:read',
  rateLimit: 'log-export',
  moreTimeFor: 'log-reading',
  problems: ['too-many-calls'],
} as const;

export function addExposureRoutes(app: FastifyInstance, logs: LogService): void {
  const exposure = new ExposureService(logs);

  app.get<{ Querystring: Static<typeof ExposureQuery> }>(
    '/logs/exposure',
    {
      config: { ...config, examples: exposureExamples.getExposure },
      schema: {
        operationId: 'getExposure',
        summary: 'Report what somebody saw',
        tags: ['Logs'],
        description: `What a key, application, session, user or address saw: which tokens, through which transform, how often and
where they were sent, and what it searched for, missed and was denied. ${bounds}`,
        querystring: ExposureQuery,
        response: { 200: ExposureView },
      },
    },
    async ({ caller, query }) => {
      const subject = toSubject(query);
      const period = toPeriod(query);
      const filter = subject === undefined ? undefined : toSubjectFilter(subject, period);
      await logs.recordRead(caller, filter);
      const reported = { ...period, keptSince: await logs.findKeptSince(caller) };
      if (filter === undefined) return toExposureView(new SubjectExposureTally().toExposure(), reported);
      return withSlot(caller.tenantId, async (tenantId) =>
        toExposureView(await exposure.findExposure(filter, { tenantId, limits }), reported),
      );
    },
  );

  app.get<{ Querystring: Static<typeof ViewersQuery> }>(
    '/logs/viewers',
    {
      config: { ...config, examples: exposureExamples.listTokenViewers },
      schema: {
        operationId: 'listTokenViewers',
        summary: 'Report who saw a token',
        tags: ['Logs'],
        description: `Everybody who saw a token, through which transform, how often, from where, and where it was sent. The token may
have been deleted since. ${bounds}`,
        querystring: ViewersQuery,
        response: { 200: ViewersView },
      },
    },
    async ({ caller, query }) => {
      const period = toPeriod(query);
      const filter = toTokenFilter(query.token_id, period);
      await logs.recordRead(caller, filter);
      const reported = { ...period, keptSince: await logs.findKeptSince(caller) };
      // PostgreSQL cannot store this character, so no record contains it.
      if (query.token_id.includes('\u0000')) return toViewersView(new TokenViewersTally().toViewers(), reported);
      return withSlot(caller.tenantId, async (tenantId) =>
        toViewersView(await exposure.findViewers(filter, { tenantId, limits }), reported),
      );
    },
  );

  /**
   * Runs the work in a report slot. The slot is held until the log has been read, even if the client has disconnected.
   */
  async function withSlot<T>(tenantId: TenantId, work: (tenantId: TenantId) => Promise<T>): Promise<T> {
    const slot = logs.reportSlots.take(tenantId);
    try {
      return await work(tenantId);
    } finally {
      slot.end();
    }
  }
}
