import { type Static, Type } from 'typebox';
import { parseContainer } from '../../../core/access/container.ts';
import { DomainError, type FieldErrors, invalidField } from '../../../core/errors/domain-error.ts';
import { eventTypes } from '../../../core/events/event-type.ts';
import { parseEmailAddress } from '../../../core/identity/email-address.ts';
import { isUuid } from '../../../core/identity/ids.ts';
import type { Sensitive } from '../../../core/identity/sensitive.ts';
import { orNull } from '../../../http/parameters/optional-schemas.ts';
import { cursorPageOf, pageParameters } from '../../../http/parameters/pagination.ts';
import { queryParameters } from '../../../http/parameters/query-parameters.ts';
import { plainText } from '../../../http/parameters/text-schemas.ts';
import { changeFields, timestamp, toChangeFields, toTimestamp } from '../../../http/parameters/timestamp.ts';
import { nameSchemas } from '../../../http/routes/api-components.ts';
import { disabledReasons, type Webhook, type WebhookSettings, webhookStatuses } from './webhook.ts';
import type { WebhookCursor } from './webhook-store.ts';

const containersMax = 20;
const batchSizeMax = 100;

const settingsMembers = {
  name: plainText({ minLength: 1, maxLength: 200, description: 'A name for people.' }),
  url: Type.String({
    minLength: 1,
    maxLength: 2_048,
    description: 'Where to send events: an `https` URL on a public address. Put no secret into it.',
  }),
  notify_email: orNull(
    Type.String({ maxLength: 254, description: 'E-mail address to tell if the webhook is disabled.' }),
  ),
  events: Type.Array(Type.Enum([...eventTypes]), {
    minItems: 1,
    maxItems: eventTypes.length,
    description: 'The types of events to send, as `/webhooks/event-types` lists them.',
  }),
  containers: orNull(
    Type.Array(Type.String({ maxLength: 300 }), {
      minItems: 1,
      maxItems: containersMax,
      description: 'Send events about tokens only for tokens in these containers. All of them by default.',
    }),
  ),
  batch_size: orNull(
    Type.Integer({
      minimum: 1,
      maximum: batchSizeMax,
      description: 'The most events in one request. With 1, the default, each event is a request of its own.',
    }),
  ),
  bt_signature: orNull(
    Type.Boolean({ description: 'Add a signature like that of the hosted service. False by default.' }),
  ),
};

export const CreateWebhook = Type.Object(settingsMembers, { description: 'A webhook to create.' });
export const UpdateWebhook = Type.Object(
  {
    ...settingsMembers,
    status: orNull(
      Type.Enum([...webhookStatuses], {
        description:
          '`enabled` starts a disabled webhook again where it stopped, at most 30 days back. Unchanged by default.',
      }),
    ),
  },
  { description: 'The new settings of a webhook.' },
);

export const WebhookQuery = queryParameters({
  start: Type.Optional(Type.String({ maxLength: 100, description: 'The `next` of the page before.' })),
  size: pageParameters.size,
});

const viewMembers = {
  id: Type.String({ format: 'uuid', description: 'Id of the webhook.' }),
  tenant_id: Type.String({ format: 'uuid', description: 'Id of the tenant.' }),
  status: Type.Enum([...webhookStatuses], { description: 'Whether events are sent.' }),
  disabled_reason: Type.Optional(
    Type.Enum([...disabledReasons], {
      description:
        'Why it is disabled: `request`, `failing` (no success for days), `gone` (it responded with 410) or `owner` (whoever set it may no longer read the log). Absent if it is enabled.',
    }),
  ),
  failing_since: Type.Optional(
    timestamp('When the first request failed since the last success. Absent if the last one succeeded.'),
  ),
  name: Type.String({ description: 'A name for people.' }),
  url: Type.String({ description: 'Where events are sent.' }),
  notify_email: Type.Optional(Type.String({ description: 'E-mail address to tell if the webhook is disabled.' })),
  events: Type.Array(Type.String(), { description: 'The types of events that are sent.' }),
  containers: Type.Optional(
    Type.Array(Type.String(), { description: 'Containers that events about tokens are limited to. Absent for all.' }),
  ),
  batch_size: Type.Integer({ description: 'The most events in one request.' }),
  bt_signature: Type.Boolean({ description: 'Whether requests have a signature like that of the hosted service.' }),
  ...changeFields,
};
export const WebhookView = Type.Object(viewMembers, { description: 'An endpoint that receives events.' });
export const NewWebhookView = Type.Object(
  {
    ...viewMembers,
    signing_secret: Type.Optional(
      Type.String({ description: 'The secret that signs requests. Only this response contains it.' }),
    ),
    previous_secret_expires_at: Type.Optional(
      timestamp('Until when the previous secret signs as well. Absent if there is none.'),
    ),
  },
  { description: 'A webhook with its signing secret.' },
);
export const WebhookPage = cursorPageOf(WebhookView, 'webhooks');

nameSchemas({
  CreateWebhookRequest: CreateWebhook,
  UpdateWebhookRequest: UpdateWebhook,
  Webhook: WebhookView,
  WebhookWithSecret: NewWebhookView,
  WebhookPage,
});

type SettingsBody = Static<typeof CreateWebhook>;

/** Returns the settings of a request. What a request omits has its default, because an update replaces everything. */
export function toWebhookSettings(body: SettingsBody): WebhookSettings {
  const fields: Record<string, string[]> = {};
  const containers = body.containers?.map((text) => parseContainer(text)) ?? null;
  if (containers?.includes(undefined) === true) fields['containers'] = ['must be paths such as /pci/high/'];
  const notifyEmail = body.notify_email ?? null;
  const address = notifyEmail === null ? null : parseEmailAddress(notifyEmail);
  if (address === undefined) fields['notify_email'] = ['must be an e-mail address such as name@example.com'];
  requireNone(fields);
  return {
    name: body.name,
    url: body.url,
    notifyEmail: address ?? null,
    events: [...new Set(body.events)],
    containers: containers === null ? null : containers.filter((path) => path !== undefined),
    batchSize: body.batch_size ?? 1,
    hasBtSignature: body.bt_signature ?? false,
  };
}

function requireNone(fields: FieldErrors): void {
  if (Object.keys(fields).length > 0)
    throw new DomainError('validation-failed', 'The request did not pass validation.', { fields });
}

export function toWebhookView(webhook: Webhook): Static<typeof WebhookView> {
  const { disabledReason, failingSince, notifyEmail, containers } = webhook;
  return {
    id: webhook.id,
    tenant_id: webhook.tenantId,
    status: webhook.status,
    ...(disabledReason === null ? {} : { disabled_reason: disabledReason }),
    ...(failingSince === null ? {} : { failing_since: toTimestamp(failingSince) }),
    name: webhook.name,
    url: webhook.url,
    ...(notifyEmail === null ? {} : { notify_email: notifyEmail }),
    events: [...webhook.events],
    ...(containers === null ? {} : { containers: [...containers] }),
    batch_size: webhook.batchSize,
    bt_signature: webhook.hasBtSignature,
    ...toChangeFields(webhook),
  };
}

/** Returns the view with the secret, in the only response that contains it. */
export function toNewWebhookView(
  webhook: Webhook,
  secret: Sensitive<string>,
  previousUntil?: Date,
): Static<typeof NewWebhookView> {
  return {
    ...toWebhookView(webhook),
    signing_secret: secret.reveal(),
    ...(previousUntil === undefined ? {} : { previous_secret_expires_at: toTimestamp(previousUntil) }),
  };
}

/** A cursor is `<milliseconds>.<id>` of the last item of a page. It grants no access. */
const cursorPattern = /^(\d{1,15})\.([0-9a-f-]{36})$/;

export function toCursor({ createdAt, id }: WebhookCursor): string {
  return `${createdAt.getTime()}.${id}`;
}

export function parseCursor(text: string | undefined): WebhookCursor | undefined {
  if (text === undefined) return undefined;
  const [, at, id] = cursorPattern.exec(text) ?? [];
  if (at === undefined || id === undefined || !isUuid(id))
    throw invalidField('start', 'must be the `next` of an earlier page');
  return { createdAt: new Date(Number(at)), id };
}
