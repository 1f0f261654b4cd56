import { DomainError } from '../../../core/errors/domain-error.ts';
import type { EventType } from '../../../core/events/event-type.ts';

/** `failed` deliveries were put aside after their last attempt. Only `waiting` ones are sent again by themselves. */
export const deliveryStatuses = ['delivered', 'waiting', 'failed'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** The last response to a message, or why there was none. */
export interface DeliveryResult {
  readonly responseStatus: number | null;
  readonly durationMs: number | null;
  /** Why there was no response, as a name. */
  readonly error: string | null;
  /** The beginning of the body, with long numbers masked. */
  readonly response: string | null;
}

/** A message to an endpoint: one event, or the events of a batch. */
export interface Delivery extends DeliveryResult {
  /** The `webhook-id`. */
  readonly id: string;
  readonly status: DeliveryStatus;
  readonly eventIds: readonly string[];
  readonly eventTypes: readonly EventType[];
  /** The entity that the events are about. Null for a batch. */
  readonly entityId: string | null;
  readonly attempts: number;
  readonly createdAt: Date;
  readonly lastAt: Date;
  /** The time of the next attempt. Null if there is none, or if the event waits behind an earlier one of its entity. */
  readonly nextAt: Date | null;
}

export function noSuchDelivery(): DomainError {
  return new DomainError('not-found', 'There is no such delivery.');
}
