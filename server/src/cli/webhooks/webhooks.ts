import { Command, InvalidArgumentError, Option } from 'commander';
import { parseIsoTimestamp } from '../../core/expiry/timestamp.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import { toOneLine } from '../../core/text/one-line.ts';
import type { Delivery, DeliveryStatus, Webhook, WebhookOperation } from '../../features/webhooks/index.ts';
import { parseTenant, parseUuid, wholeNumberFrom } from '../terminal/arguments.ts';
import { printJson, printText } from '../terminal/output.ts';
import { toTable } from '../terminal/text-table.ts';
import { withVault } from '../terminal/with-vault.ts';
import { listenCommand } from './webhooks-listen.ts';

interface TenantFlags {
  readonly tenant: TenantId;
  readonly json?: boolean;
}

interface WebhookFlags extends TenantFlags {
  readonly webhook: string;
}

export function webhooksCommand(): Command {
  return new Command('webhooks')
    .description('List webhooks and what was sent to them, resend it, and forward events to this machine.')
    .addCommand(listCommand())
    .addCommand(deliveriesCommand())
    .addCommand(resendCommand())
    .addCommand(listenCommand())
    .addHelpText(
      'after',
      `
The API creates webhooks: POST /webhooks. What these commands do is recorded in the tenant's audit log, with the actor type
"system".`,
    );
}

function listCommand(): Command {
  return new Command('list')
    .description('List the webhooks of a tenant with their state.')
    .requiredOption('--tenant <id>', 'tenant of the webhooks', parseTenant)
    .option('--json', 'print the list as JSON')
    .action(async ({ tenant, json }: TenantFlags) => {
      const webhooks = await operate(tenant, (operation) => operation.list());
      if (json === true) printJson({ webhooks: webhooks.map(toWebhookJson) });
      else printText(describeWebhooks(webhooks));
    });
}

interface DeliveriesFlags extends WebhookFlags {
  readonly status?: DeliveryStatus;
  readonly limit: number;
}

function deliveriesCommand(): Command {
  return new Command('deliveries')
    .description('List what was sent to a webhook in the last 30 days, the last attempts first.')
    .requiredOption('--tenant <id>', 'tenant of the webhook', parseTenant)
    .requiredOption('--webhook <id>', 'id of the webhook', parseUuid)
    .addOption(new Option('--status <status>', 'only these').choices(['delivered', 'waiting', 'failed']))
    .option('--limit <count>', 'how many to list', wholeNumberFrom(1, 1_000), 50)
    .option('--json', 'print the list as JSON')
    .action(async ({ tenant, webhook, status, limit, json }: DeliveriesFlags) => {
      const deliveries = await operate(tenant, (operation) => operation.listDeliveries(webhook, { status, limit }));
      if (json === true) printJson({ deliveries: deliveries.map(toDeliveryJson) });
      else printText(describeDeliveries(deliveries));
    });
}

interface ResendFlags extends WebhookFlags {
  readonly delivery?: string;
  readonly since?: Date;
}

function resendCommand(): Command {
  return new Command('resend')
    .description('Send one delivery of a webhook again, or everything since a time.')
    .requiredOption('--tenant <id>', 'tenant of the webhook', parseTenant)
    .requiredOption('--webhook <id>', 'id of the webhook', parseUuid)
    .addOption(new Option('--delivery <id>', 'the delivery to send again').argParser(parseUuid).conflicts('since'))
    .addOption(
      new Option('--since <time>', 'a time such as 2026-03-02T09:00:00Z, at most 30 days ago').argParser(parseTime),
    )
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nA repeated event has the webhook-id that it had before. A worker sends it.')
    .action(async ({ tenant, webhook, delivery, since, json }: ResendFlags) => {
      const what = delivery === undefined ? (since === undefined ? undefined : { since }) : { deliveryId: delivery };
      if (what === undefined) throw new Error('Name one of --delivery and --since.');
      await operate(tenant, (operation) => operation.resend(webhook, what));
      if (json === true) printJson({ webhook_id: webhook, resent: true });
      else printText('A worker sends it again.');
    });
}

function operate<T>(tenant: TenantId, work: (operation: WebhookOperation) => Promise<T>): Promise<T> {
  return withVault(async (core) => {
    const { WebhookOperation } = await import('../../features/webhooks/index.ts');
    return work(new WebhookOperation(core, tenant));
  });
}

function parseTime(text: string): Date {
  const time = parseIsoTimestamp(text)?.instant;
  if (time === undefined) throw new InvalidArgumentError('It must be a time such as 2026-03-02T09:00:00Z.');
  return time;
}

function describeWebhooks(webhooks: readonly Webhook[]): string {
  if (webhooks.length === 0) return 'None. POST /webhooks creates one.';
  return toTable(
    ['ID', 'STATE', 'EVENTS', 'NAME', 'URL'],
    webhooks.map((webhook) => [
      webhook.id,
      stateOf(webhook),
      String(webhook.events.length),
      toOneLine(webhook.name),
      toOneLine(webhook.url),
    ]),
  );
}

function stateOf({ status, disabledReason, failingSince }: Webhook): string {
  if (status === 'disabled') return `disabled: ${disabledReason}`;
  return failingSince === null ? 'enabled' : `failing since ${failingSince.toISOString()}`;
}

function describeDeliveries(deliveries: readonly Delivery[]): string {
  if (deliveries.length === 0) return 'None.';
  return toTable(
    ['ID', 'STATUS', 'TRIES', 'LAST', 'RESPONSE', 'EVENTS'],
    deliveries.map((delivery) => [
      delivery.id,
      delivery.status,
      String(delivery.attempts),
      delivery.lastAt.toISOString(),
      String(delivery.responseStatus ?? delivery.error ?? '-'),
      delivery.eventTypes.join(','),
    ]),
  );
}

function toWebhookJson(webhook: Webhook): object {
  return {
    id: webhook.id,
    status: webhook.status,
    disabled_reason: webhook.disabledReason,
    failing_since: webhook.failingSince?.toISOString() ?? null,
    name: webhook.name,
    url: webhook.url,
    events: webhook.events,
    containers: webhook.containers,
    batch_size: webhook.batchSize,
    bt_signature: webhook.hasBtSignature,
  };
}

function toDeliveryJson(delivery: Delivery): object {
  return {
    id: delivery.id,
    status: delivery.status,
    event_ids: delivery.eventIds,
    event_types: delivery.eventTypes,
    entity_id: delivery.entityId,
    attempts: delivery.attempts,
    last_attempt_at: delivery.lastAt.toISOString(),
    next_attempt_at: delivery.nextAt?.toISOString() ?? null,
    response_status: delivery.responseStatus,
    duration_ms: delivery.durationMs,
    error: delivery.error,
    response: delivery.response,
  };
}
