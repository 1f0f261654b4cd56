import { parseEmailAddress } from '../../../core/identity/email-address.ts';
import { isUuid, parseTenantId } from '../../../core/identity/ids.ts';
import { membersOf } from '../../../core/objects/members-of.ts';
import type { Database } from '../../../platform/database/database.ts';
import type { Job } from '../../../platform/jobs/job.ts';
import { type Mailer, MailRefusedError } from '../../../platform/mail/mailer.ts';
import type { Logger } from '../../../platform/telemetry/logger.ts';
import { WebhookStore } from '../model/webhook-store.ts';
import { MailPace } from './mail-pace.ts';
import { writeWebhookLetter } from './webhook-letter.ts';

/** Mails that an endpoint was disabled, unless it has been enabled or deleted in the meantime. */
export function mailWebhookJob(parts: {
  readonly database: Database;
  readonly mailer: Mailer;
  readonly logger: Logger;
  readonly publicUrl: string | undefined;
}): Job {
  const { database, mailer, logger, publicUrl } = parts;
  const pace = new MailPace();
  return {
    name: 'mail-webhook',
    async run(payload) {
      const { tenant_id, webhook_id: id } = membersOf(payload);
      if (typeof id !== 'string' || !isUuid(id)) throw new TypeError('A mail job must name its webhook.');
      const tenantId = parseTenantId(String(tenant_id));
      const find = async () => {
        const webhook = await database.forTenant(tenantId, (tx) => new WebhookStore(tx, tenantId).find(id));
        return webhook?.status === 'disabled' ? webhook : undefined;
      };
      const address = parseEmailAddress((await find())?.notifyEmail ?? '');
      if (address === undefined) return;
      const delay = pace.count(tenantId);
      if (delay > 0) {
        await database.forTenant(tenantId, (tx) => new WebhookStore(tx, tenantId).enqueueMail(id, delay));
        return;
      }
      try {
        await mailer.send(address, async () => {
          const webhook = await find();
          return webhook === undefined ? undefined : writeWebhookLetter(webhook, publicUrl);
        });
      } catch (error) {
        if (!(error instanceof MailRefusedError)) {
          pace.takeBack(tenantId);
          throw error;
        }
        logger.warn('mail refused', { job: 'mail-webhook' });
      }
    },
  };
}
