import type { AuditRecord } from '../audit/record-text.ts';
import { membersOf } from '../objects/members-of.ts';
import type { EventType } from './event-type.ts';

/** What a successful operation on an entity is called as an event. Every other record is no event. */
const typesByRecord: ReadonlyMap<string, EventType> = new Map<string, EventType>([
  ['application create', 'application.created'],
  ['application update', 'application.updated'],
  ['application delete', 'application.deleted'],
  ['application issue_key', 'application.key.created'],
  ['key alert', 'audit.alert'],
  ['member alert', 'audit.alert'],
  ['export approve', 'export.approved'],
  ['export run', 'export.finished'],
  ['key rotate', 'key.rotated'],
  ['proxy create', 'proxy.created'],
  ['proxy update', 'proxy.updated'],
  ['proxy delete', 'proxy.deleted'],
  ['proxy invoke', 'proxy.invoked'],
  ['session create', 'session.created'],
  ['session authorize', 'session.authorized'],
  ['tenant create', 'tenant.created'],
  ['tenant update', 'tenant.updated'],
  ['tenant configure', 'tenant.updated'],
  ['tenant restore', 'tenant.updated'],
  ['tenant delete', 'tenant.deleted'],
  ['invitation create', 'tenant.invitation.created'],
  ['invitation resend', 'tenant.invitation.resent'],
  ['invitation delete', 'tenant.invitation.deleted'],
  ['invitation accept', 'tenant.invitation.accepted'],
  ['member create', 'tenant.member.created'],
  ['member delete', 'tenant.member.deleted'],
  ...['bank', 'card', 'token'].flatMap((entity): [string, EventType][] => [
    [`${entity} create`, 'token.created'],
    [`${entity} read`, 'token.read'],
    [`${entity} update`, 'token.updated'],
    [`${entity} delete`, 'token.deleted'],
    [`${entity} expire`, 'token.expired'],
    [`${entity} property_expired`, 'token.property.expired'],
  ]),
  ['token_intent create', 'token-intent.created'],
  ['token_intent delete', 'token-intent.deleted'],
  ['token_intent accept', 'token-intent.converted'],
]);

/** Records of keys of applications are updates of the application whose details name the key. */
const keyLine = /^key (added|removed): ([0-9a-f-]{36})$/;

/** An operation on no single entity, such as reading a list, is no event. */
const noSingleEntity = '*';

/** Returns the type of the event that a record is; undefined if it is none. */
export function eventTypeOf(record: AuditRecord): EventType | undefined {
  if (record.entity_id === noSingleEntity) return undefined;
  const name = `${record.entity_type} ${record.operation}`;
  // A call has one record before it and one after it. The second is the event, however the call ended.
  const isEvent = name === 'proxy invoke' ? isCallOver(record.outcome) : record.outcome === 'success';
  const type = isEvent ? typesByRecord.get(name) : undefined;
  if (type !== 'application.updated') return type;
  const change = findKeyChange(record);
  return change === undefined ? type : change.isAdded ? 'application.key.created' : 'application.key.deleted';
}

function isCallOver(outcome: string): boolean {
  return outcome === 'success' || outcome === 'failed' || outcome === 'unknown';
}

/** Returns the key that an update of an application added or removed, if that is what it did. */
export function findKeyChange({
  details,
}: AuditRecord): { readonly id: string; readonly isAdded: boolean } | undefined {
  const { changes } = detailsOf(details);
  const lines = Array.isArray(changes) ? changes.filter((line) => typeof line === 'string') : [];
  const [, change, id] = lines.length === 1 ? (keyLine.exec(lines[0] ?? '') ?? []) : [];
  return id === undefined ? undefined : { id, isAdded: change === 'added' };
}

/** Returns the details of a record, which are JSON text that the vault wrote itself. */
export function detailsOf(details: string | null): Readonly<Record<string, unknown>> {
  return details === null ? {} : membersOf(JSON.parse(details));
}
