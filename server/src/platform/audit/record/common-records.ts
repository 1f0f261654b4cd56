import type { Actor } from '../../../core/identity/caller.ts';
import { type AuditEvent, type AuditRow, toAuditRow } from './audit-event.ts';

/** The common part of several records of one request, with the ids of their entities. */
export type CommonRecord = Omit<AuditRow, 'entity_id'> & { readonly entity_ids: readonly string[] };

/** Writes the common part of events once. A page of twenty tokens becomes a single text with twenty ids. */
export function toCommonRecords(actor: Actor, events: readonly AuditEvent[]): string[] {
  const groups = new Map<string, { readonly first: AuditEvent; readonly entityIds: string[] }>();
  for (const event of events) {
    const key = events.length === 1 ? '' : toKey(event);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { first: event, entityIds: [event.entityId] });
    else group.entityIds.push(event.entityId);
  }
  return [...groups.values()].map(({ first, entityIds }) => {
    const { entity_id: _id, ...common } = toAuditRow(actor, first);
    return JSON.stringify({ entity_ids: entityIds, ...common } satisfies CommonRecord);
  });
}

/** Returns the same key for events that differ only in their entity. */
function toKey({ entityId: _id, ...event }: AuditEvent): string {
  return JSON.stringify(event);
}
