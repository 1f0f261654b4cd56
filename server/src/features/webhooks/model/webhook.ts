import { DomainError } from '../../../core/errors/domain-error.ts';
import type { EventFilter } from '../../../core/events/event-filter.ts';
import type { TenantId } from '../../../core/identity/ids.ts';
import type { Sensitive } from '../../../core/identity/sensitive.ts';
import { type AuditEvent, type Operation, successEvent } from '../../../platform/audit/record/audit-event.ts';

export const webhookStatuses = ['enabled', 'disabled'] as const;
export type WebhookStatus = (typeof webhookStatuses)[number];

/**
 * Why an endpoint is disabled: on request, because it failed for days, because it responded with 410, or because whoever
 * set it may no longer read its events.
 */
export const disabledReasons = ['request', 'failing', 'gone', 'owner'] as const;
export type DisabledReason = (typeof disabledReasons)[number];

/** The settings of an endpoint that its owner chooses. */
export interface WebhookSettings extends EventFilter {
  readonly name: string;
  readonly url: string;
  readonly notifyEmail: string | null;
  /** The most events in one request. 1 sends each event alone. */
  readonly batchSize: number;
  readonly hasBtSignature: boolean;
}

/** An endpoint without its secrets. */
export interface Webhook extends WebhookSettings {
  readonly tenantId: TenantId;
  readonly id: string;
  readonly status: WebhookStatus;
  readonly disabledReason: DisabledReason | null;
  readonly createdBy: string | null;
  readonly createdAt: Date;
  readonly modifiedBy: string | null;
  readonly modifiedAt: Date | null;
  /** The member on whose authority the endpoint was last set. Null for the operator. */
  readonly grantedBy: string | null;
  /** The time of the first failure since the last success. Null if the last request succeeded. */
  readonly failingSince: Date | null;
}

/** The secrets that sign. During a rotation there are two. */
export interface WebhookSecrets {
  readonly current: Sensitive<string>;
  readonly previous?: { readonly secret: Sensitive<string>; readonly until: Date };
}

/** More than any tenant needs. Each endpoint costs the worker a request for each event. */
export const webhooksMax = 100;

/** Returns the audit event of an operation on an endpoint, with the host that its events go to. */
export function webhookEvent(id: string, operation: Operation, host?: string): AuditEvent {
  const event = successEvent('webhook', id, operation);
  return host === undefined ? event : { ...event, destination: host };
}

export function noSuchWebhook(): DomainError {
  return new DomainError('not-found', 'There is no such webhook.');
}
