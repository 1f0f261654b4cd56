import { Type } from 'typebox';
import { invalidField } from '../../../core/errors/domain-error.ts';
import { parseIsoTimestamp } from '../../../core/expiry/timestamp.ts';
import { isUuid, type TenantId } from '../../../core/identity/ids.ts';
import { toAddressText } from '../../../core/network/peer-address.ts';
import { nameSchemas } from '../../../http/routes/api-components.ts';
import { pageParameters } from '../../../http/parameters/pagination.ts';
import { queryParameters } from '../../../http/parameters/query-parameters.ts';
import { timestamp, toTimestamp } from '../../../http/parameters/timestamp.ts';
import { type FacetField, facetFields, facetValueLengthMax } from '../../../platform/audit/record/audit-facet.ts';
import { entityTypes } from '../../../platform/audit/record/audit-event.ts';
import { membersOf } from '../../../core/objects/members-of.ts';
import type { Facet, Log, LogCursor, LogExclusion, LogFilter } from './log.ts';
import { displayNames, toLogMessage } from './log-message.ts';
import { tokenLimits } from '../../../core/token-limits.ts';

const text = (description: string, maxLength: number) => Type.Optional(Type.String({ maxLength, description }));

/** The maximum number of exclusions in one request. */
const exclusionsMax = 10;

/** Filter parameters. A record must match all that are given. */
export const filterParameters = {
  entity_type: text('Kind of entity, as `/logs/entity-types` lists them.', 100),
  entity_id: text('Id of an entity.', tokenLimits.idLengthMax),
  actor_id: text('Id of the application, session or user who acted.', 100),
  actor_type: text('`application`, `session`, `system` or `user`.', 100),
  operation: text('What was done, such as `read`.', 100),
  outcome: text('The outcome, such as `success` or `denied`.', 100),
  transform: text('The view of the data that left the vault: `redact`, `mask` or `reveal`.', 100),
  key_id: text('Id of the key that was used.', 100),
  request_id: text('`BT-TRACE-ID` of the request.', 100),
  source_address: text('Address of the client.', facetValueLengthMax),
  destination: text('Host that a proxied call went to.', facetValueLengthMax),
  exclude: text(
    `Records to leave out, as \`field:value\` with any of the fields above except ids of entities and requests, separated by commas,
such as \`operation:read,actor_type:user\`. \`member_views\` leaves out what members of the portal saw by merely looking at pages:
successful reads and searches without plaintext, and no downloads. At most ${exclusionsMax}.`,
    1_000,
  ),
  start_date: text('ISO 8601: records from then on.', 50),
  end_date: text('ISO 8601: records before then.', 50),
};

export const LogQuery = queryParameters({
  ...filterParameters,
  start: text(
    'The `next` of the previous page. With filters that rarely match a page can be short, even empty, and still have a `next`.',
    500,
  ),
  ...pageParameters,
});

export const LogExportQuery = queryParameters({
  format: Type.Optional(
    Type.Union([Type.Literal('csv'), Type.Literal('ndjson')], {
      description: '`ndjson` unless given otherwise.',
    }),
  ),
  ...filterParameters,
});

export const LogView = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'Id of the record.' }),
    tenant_id: Type.String({ format: 'uuid', description: 'Id of the tenant.' }),
    actor_id: Type.Optional(
      Type.String({ format: 'uuid', description: 'Id of the application, session or user who acted.' }),
    ),
    actor_type: Type.Optional(Type.String({ description: '`application`, `session`, `system` or `user`.' })),
    entity_type: Type.String({ description: 'Kind of entity, as `/logs/entity-types` lists them.' }),
    entity_id: Type.String({ description: 'Id of the entity.' }),
    operation: Type.String({ description: 'What was done, such as `read`.' }),
    outcome: Type.String({ description: 'The outcome, such as `success` or `denied`.' }),
    message: Type.String({ description: 'A sentence that describes the record.' }),
    transform: Type.Optional(Type.String({ description: 'The view of the data that left the vault.' })),
    key_id: Type.Optional(Type.String({ format: 'uuid', description: 'Id of the key that was used.' })),
    request_id: Type.Optional(Type.String({ description: '`BT-TRACE-ID` of the request.' })),
    source_address: Type.Optional(Type.String({ description: 'Address of the client.' })),
    containers: Type.Optional(Type.Array(Type.String(), { description: 'Containers of the token.' })),
    destination: Type.Optional(Type.String({ description: 'Host that a proxied call went to.' })),
    details: Type.Optional(
      Type.Object(
        {},
        { additionalProperties: true, description: 'Details such as requested fields, counts and changes of rights.' },
      ),
    ),
    created_at: timestamp('When it happened.'),
  },
  { description: 'An audit record: who did what, and what they saw.' },
);

export const EntityTypeView = Type.Object(
  {
    display_name: Type.String({ description: 'A name for people.' }),
    value: Type.String({ description: 'The value of `entity_type`.' }),
  },
  { description: 'A kind of thing that audit records are about.' },
);

nameSchemas({ Log: LogView, LogEntityType: EntityTypeView });

export function toLogView(tenantId: TenantId, log: Log) {
  const optional = {
    actor_id: log.actorId,
    actor_type: log.actorType,
    transform: log.transform,
    key_id: log.keyId,
    request_id: log.requestId,
    source_address: log.sourceAddress,
    containers: log.containers === null ? null : [...log.containers],
    destination: log.destination,
    details: log.details === null ? null : membersOf(JSON.parse(log.details)),
  };
  const present = Object.entries(optional).filter(([, value]) => value !== null);
  return {
    id: log.id,
    tenant_id: tenantId,
    entity_type: log.entityType,
    entity_id: log.entityId,
    operation: log.operation,
    outcome: log.outcome,
    message: toLogMessage(log.entityType, log.operation, log.outcome),
    ...(Object.fromEntries(present) as Partial<NonNullableValues<typeof optional>>),
    created_at: toTimestamp(log.createdAt),
  };
}

type NonNullableValues<Values> = { [Name in keyof Values]: NonNullable<Values[Name]> };

export function toEntityTypeViews() {
  return entityTypes.map((value) => ({ display_name: displayNames[value], value }));
}

type FilterQuery = { readonly [Name in keyof typeof filterParameters]?: string };

/** Returns undefined if nothing can match, for example if an entity type does not exist. */
export function toLogFilter(query: FilterQuery): LogFilter | undefined {
  const { entity_type: type, entity_id: entityId, request_id: requestId } = query;
  const facets = facetFields.flatMap((field) => {
    const value = query[field];
    return value === undefined ? [] : [toFacet(field, value)];
  });
  const filter = {
    entityType: entityTypes.find((known) => known === type),
    entityId,
    requestId,
    facets,
    exclusions: parseExclusions(query.exclude),
    from: parseDate('start_date', query.start_date),
    to: parseDate('end_date', query.end_date),
  };
  const isUnknownType = type !== undefined && filter.entityType === undefined;
  const texts = [entityId, requestId, ...facets.map(({ value }) => value)];
  // PostgreSQL cannot store this character, so no record contains it.
  const isUnstorable = texts.some((value) => value?.includes('\u0000') === true);
  const isNoId = facets.some(({ field, value }) => (field === 'actor_id' || field === 'key_id') && !isUuid(value));
  return isUnknownType || isUnstorable || isNoId ? undefined : filter;
}

/** Parses the list. A value that no record can have leaves out nothing. */
function parseExclusions(text: string | undefined): LogExclusion[] {
  const items = (text ?? '').split(',').filter((item) => item !== '');
  if (items.length > exclusionsMax) throw invalidField('exclude', `must have at most ${exclusionsMax} items`);
  return items.flatMap((item): LogExclusion[] => {
    if (item === 'member_views') return [item];
    const [, name = '', value = ''] = /^([a-z_]+):(.+)$/s.exec(item) ?? [];
    const field = facetFields.find((known) => known === name);
    if (field === undefined && name !== 'entity_type')
      throw invalidField('exclude', 'must be a list such as operation:read,actor_type:user,member_views');
    if (value.includes('\u0000')) return [];
    if (field === undefined) return [{ field: 'entity_type', value }];
    const isNoId = (field === 'actor_id' || field === 'key_id') && !isUuid(value);
    return isNoId ? [] : [toFacet(field, value)];
  });
}

/** Converts a value to the spelling in records: ids are in lower case, and an address has one canonical form. */
export function toFacet(field: FacetField, value: string): Facet {
  const isId = field === 'actor_id' || field === 'key_id';
  if (isId) return { field, value: value.toLowerCase() };
  return { field, value: field === 'source_address' ? (toAddressText(value) ?? value) : value };
}

export function parseDate(name: string, text: string): Date;
export function parseDate(name: string, text: string | undefined): Date | undefined;
export function parseDate(name: string, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const timestamp = parseIsoTimestamp(text);
  if (timestamp === undefined) throw invalidField(name, 'must be an ISO 8601 date or date-time');
  return timestamp.instant;
}

/** A cursor is `<milliseconds>.<id>` of the last record of a page. */
const cursorPattern = /^(\d{1,15})\.([0-9a-f-]{36})$/;

export function toLogCursor(last: LogCursor): string {
  return `${last.createdAt.getTime()}.${last.id}`;
}

export function parseLogCursor(text: string | undefined): LogCursor | undefined {
  if (text === undefined) return undefined;
  const [, at, id] = cursorPattern.exec(text) ?? [];
  if (at === undefined || id === undefined || !isUuid(id))
    throw invalidField('start', 'must be the `next` of an earlier page');
  return { createdAt: new Date(Number(at)), id };
}
