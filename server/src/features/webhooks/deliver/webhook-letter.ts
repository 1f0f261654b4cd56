import { writeLetter } from '../../../http/pages/letter.ts';
import type { Letter } from '../../../platform/mail/mailer.ts';
import type { DisabledReason, Webhook } from '../model/webhook.ts';

const reasons: Readonly<Record<DisabledReason, string>> = {
  request: 'A member or an application disabled it.',
  failing: 'No request to it has succeeded for days.',
  gone: 'It responded with the status 410, which asks for no more requests.',
  owner:
    'The person or application that last changed it may no longer read the audit log of the tenant, or is no longer a member.',
};

/** Writes the mail that says that an endpoint was disabled. */
export function writeWebhookLetter(
  { name, url, disabledReason, tenantId }: Webhook,
  publicUrl: string | undefined,
): Letter {
  return writeLetter({
    subject: 'A webhook was disabled',
    lead: 'A webhook of a Strongroom vault was disabled.',
    facts: [
      ['Webhook', name],
      ['Address', url],
      ['Tenant', tenantId],
      ['Reason', reasons[disabledReason ?? 'request']],
    ],
    ...(publicUrl === undefined ? {} : { action: { label: 'Open the portal', url: `${publicUrl}/portal/webhooks` } }),
    advice:
      'Nothing is lost: enable it again in the portal or with the API within 30 days, and it continues where it stopped.',
  });
}
