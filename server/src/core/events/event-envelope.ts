import type { AuditRecord } from '../audit/record-text.ts';
import { detailsOf, eventTypeOf, findKeyChange } from './event-catalog.ts';
import type { EventType } from './event-type.ts';

/** What an event is about: ids, kinds and numbers under names of the vault. It never contains data of a token. */
type EventDetails = Readonly<Record<string, object>>;

/** An event as its receiver sees it. */
export interface VaultEvent {
  readonly id: string;
  readonly type: EventType;
  readonly timestamp: string;
  readonly tenant_id: string;
  readonly trace_id?: string;
  readonly data: EventDetails;
}

/**
 * Returns the event that a record is; undefined if it is none. Everything in it is named here: ids, kinds, containers,
 * hosts and numbers. A value never gets into a record, and a name that a caller chose never gets into an event.
 */
export function toEvent(record: AuditRecord, portalUrl?: string): VaultEvent | undefined {
  const type = eventTypeOf(record);
  if (type === undefined) return undefined;
  return {
    id: record.id,
    type,
    timestamp: new Date(record.created_at).toISOString(),
    tenant_id: record.tenant_id,
    ...(record.request_id === null ? {} : { trace_id: record.request_id }),
    data: { ...subjectOf(type, record, portalUrl), actor: actorOf(record) },
  };
}

function actorOf({ actor_id: id, actor_type: type }: AuditRecord): object {
  return { ...(id === null ? {} : { id }), type: type ?? 'system' };
}

/** Returns the object that the event is about, under its name. */
function subjectOf(type: EventType, record: AuditRecord, portalUrl: string | undefined): Record<string, object> {
  const { entity_id: id } = record;
  if (type.startsWith('token.')) return { token: tokenOf(record) };
  if (type.startsWith('application.key.')) {
    const key = findKeyChange(record);
    return { application: { id }, ...(key === undefined ? {} : { key: { id: key.id } }) };
  }
  if (type === 'audit.alert') return { alert: alertOf(record, portalUrl) };
  if (type === 'key.rotated') {
    const [purpose = '', version = ''] = id.split('/');
    return { key: { purpose, version: Number(version) } };
  }
  if (type === 'proxy.invoked') {
    const host = record.destination === null ? {} : { host: record.destination };
    return { proxy: { id, outcome: record.outcome, ...host } };
  }
  return { [subjectNameOf(type)]: { id } };
}

/** Returns `invitation` for `tenant.invitation.created`, and `token_intent` for `token-intent.created`. */
function subjectNameOf(type: EventType): string {
  return (type.split('.').at(-2) ?? '').replaceAll('-', '_');
}

/** The type is part of a record only for cards and bank accounts. */
function tokenOf({
  entity_type: type,
  entity_id: id,
  containers,
  transform,
  destination,
  details,
}: AuditRecord): object {
  const { fields } = detailsOf(details);
  return {
    id,
    ...(type === 'token' ? {} : { type }),
    ...(containers === null ? {} : { containers }),
    ...(transform === null ? {} : { transform }),
    ...(destination === null ? {} : { destination }),
    ...(Array.isArray(fields) ? { fields } : {}),
  };
}

function alertOf(record: AuditRecord, portalUrl: string | undefined): object {
  const { rule, count, from, minutes } = detailsOf(record.details);
  const id = record.entity_id;
  return {
    rule,
    count,
    from,
    minutes,
    ...(record.entity_type === 'member' ? { user: { id } } : { key: { id } }),
    ...(portalUrl === undefined ? {} : { url: toRecordUrl(portalUrl, record) }),
  };
}

/** Returns the address at which the portal shows a record. */
function toRecordUrl(portalUrl: string, { id, created_at: at }: AuditRecord): string {
  return `${portalUrl}/portal/audit?record=${id}&record_at=${new Date(at).toISOString()}`;
}
