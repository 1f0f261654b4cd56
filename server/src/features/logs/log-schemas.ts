import { Type } from 'typebox';
import { invalidField } from '../../core/errors/domain-error.ts';
import { parseIsoTimestamp } from '../../core/expiry/timestamp.ts';
import { isUuid, type TenantId } from '../../core/identity/ids.ts';
import { nameSchemas } from '../../http/api-components.ts';
import { pageParameters } from '../../http/pagination.ts';
import { queryParameters } from '../../http/query-parameters.ts';
import { Timestamp, toTimestamp } from '../../http/timestamp.ts';
import { entityTypes } from '../../platform/audit/audit-event.ts';
import type { Log, LogCursor, LogFilter } from './log.ts';
import { displayNames, toLogMessage } from './log-message.ts';

export const LogQuery = queryParameters({
  entity_type: Type.Optional(
    Type.String({ maxLength: 100, description: 'Type of entity, as listed by `/logs/entity-types`.' }),
  ),
  entity_id: Type.Optional(Type.String({ maxLength: 400, description: 'Id of an entity.' })),
  start_date: Type.Optional(
    Type.String({ maxLength: 50, description: 'Only records from this ISO 8601 date or date-time on.' }),
  ),
  end_date: Type.Optional(
    Type.String({ maxLength: 50, description: 'Only records before this ISO 8601 date or date-time.' }),
  ),
  start: Type.Optional(Type.String({ maxLength: 500, description: 'The `next` of the previous page.' })),
  ...pageParameters,
});

export const LogView = Type.Object({
  id: Type.String({ format: 'uuid' }),
  tenant_id: Type.String({ format: 'uuid' }),
  actor_id: Type.Optional(Type.String({ format: 'uuid' })),
  actor_type: Type.Optional(Type.String()),
  entity_type: Type.String(),
  entity_id: Type.String(),
  operation: Type.String(),
  message: Type.String(),
  created_at: Timestamp,
});

export const EntityTypeView = Type.Object({ display_name: Type.String(), value: Type.String() });

nameSchemas({ Log: LogView, LogEntityType: EntityTypeView });

export function toLogView(tenantId: TenantId, log: Log) {
  return {
    id: log.id,
    tenant_id: tenantId,
    ...(log.actorId === null ? {} : { actor_id: log.actorId }),
    ...(log.actorType === null ? {} : { actor_type: log.actorType }),
    entity_type: log.entityType,
    entity_id: log.entityId,
    operation: log.operation,
    message: toLogMessage(log.entityType, log.operation, log.outcome),
    created_at: toTimestamp(log.createdAt),
  };
}

export function toEntityTypeViews() {
  return entityTypes.map((value) => ({ display_name: displayNames[value], value }));
}

/** Undefined where nothing can match, such as an entity type that does not exist. */
export function toLogFilter(query: {
  readonly entity_type?: string;
  readonly entity_id?: string;
  readonly start_date?: string;
  readonly end_date?: string;
}): LogFilter | undefined {
  const { entity_type: type, entity_id: entityId } = query;
  const filter = {
    entityType: entityTypes.find((known) => known === type),
    entityId,
    from: parseDate('start_date', query.start_date),
    to: parseDate('end_date', query.end_date),
  };
  const isUnknownType = type !== undefined && filter.entityType === undefined;
  // PostgreSQL holds no such character, so no id has it.
  return isUnknownType || entityId?.includes('\u0000') === true ? undefined : filter;
}

function parseDate(name: string, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const timestamp = parseIsoTimestamp(text);
  if (timestamp === undefined) throw invalidField(name, 'must be an ISO 8601 date or date-time');
  return timestamp.instant;
}

/** `<milliseconds>.<id>` of the last record of a page. */
const cursorPattern = /^(\d{1,15})\.([0-9a-f-]{36})$/;

export function toLogCursor(last: Log): string {
  return `${last.createdAt.getTime()}.${last.id}`;
}

export function parseLogCursor(text: string | undefined): LogCursor | undefined {
  if (text === undefined) return undefined;
  const [, at, id] = cursorPattern.exec(text) ?? [];
  if (at === undefined || id === undefined || !isUuid(id))
    throw invalidField('start', 'must be the `next` of an earlier page');
  return { createdAt: new Date(Number(at)), id };
}
