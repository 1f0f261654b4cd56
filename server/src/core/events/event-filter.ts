import { isCovered } from '../access/container.ts';
import type { AuditRecord } from '../audit/record-text.ts';
import { eventTypeOf } from './event-catalog.ts';
import type { EventType } from './event-type.ts';

/** What an endpoint has subscribed to. */
export interface EventFilter {
  readonly events: readonly EventType[];
  /** Events about tokens are sent only if the token is in one of these containers. Null for all containers. */
  readonly containers: readonly string[] | null;
}

/** Returns true if the record is an event of a subscribed type, and about a token in a subscribed container. */
export function isSubscribed(record: AuditRecord, { events, containers }: EventFilter): boolean {
  const type = eventTypeOf(record);
  if (type === undefined || !events.includes(type)) return false;
  if (containers === null || !type.startsWith('token.')) return true;
  return record.containers?.some((container) => containers.some((by) => isCovered(container, by))) === true;
}
