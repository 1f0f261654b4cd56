import type { Actor } from '../../../core/identity/caller.ts';
import { type AuditEvent, type AuditRow, toAuditRow } from './audit-event.ts';

/** What several records of one request have in common, with the things that each of them is about, as JSON text. */
export type CommonRecord = Omit<AuditRow, 'entity_id'> & { readonly entity_ids: readonly string[] };

/** Writes what events have in common once: a page of twenty tokens is one text with twenty ids in it. */
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

/** The same for events that differ in nothing but what they are about. */
function toKey({ entityId: _id, ...event }: AuditEvent): string {
  return JSON.stringify(event);
}
