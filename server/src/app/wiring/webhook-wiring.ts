import {
  DeliveryMetrics,
  deliverWebhookJob,
  EndpointLookup,
  mailWebhookJob,
  type RunPace,
  sweepDeliveriesJob,
  WebhookSender,
} from '../../features/webhooks/index.ts';
import type { MailConfig } from '../../platform/config/portal-settings.ts';
import type { Job } from '../../platform/jobs/job.ts';
import { WebhookSignatureKey } from '../../platform/keyring/webhooks/webhook-signature-key.ts';
import { Mailer } from '../../platform/mail/mailer.ts';
import { Outbound } from '../../platform/outbound/outbound.ts';
import type { OutboundConfig } from '../../platform/outbound/outbound-config.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import type { Metrics } from '../../platform/telemetry/metrics.ts';
import type { VaultCore } from './vault-core.ts';

/** Builds the jobs that deliver events to endpoints. */
export function createWebhookJobs(
  core: VaultCore,
  parts: {
    readonly outbound: OutboundConfig;
    readonly mail: MailConfig;
    readonly logger: Logger;
    readonly metrics: Metrics;
    readonly pace?: Partial<RunPace>;
  },
): Job[] {
  const { outbound, mail, logger, metrics, pace } = parts;
  const { database } = core;
  const { publicUrl } = mail;
  // A client certificate identifies the tenant to a host. The creator of an endpoint chooses path and query there, and
  // does not need the right to use tokens, which proxied calls require.
  const anonymous = { ...outbound, clientCertificates: [] };
  const deliver = deliverWebhookJob({
    database,
    endpoints: new EndpointLookup(core),
    sender: new WebhookSender(new Outbound(anonymous, database.tracer)),
    signatureKey: new WebhookSignatureKey(core),
    metrics: new DeliveryMetrics(metrics),
    logger,
    portalUrl: publicUrl,
    ...(pace === undefined ? {} : { pace }),
  });
  // Mail waits in the queue for a worker that has a mail server.
  const mails =
    mail.smtp === undefined ? [] : [mailWebhookJob({ database, mailer: new Mailer(mail.smtp), logger, publicUrl })];
  return [deliver, sweepDeliveriesJob(database), ...mails];
}
