import { entityTypes } from '../../../platform/audit/record/audit-event.ts';
import type { Parameters } from '../../../platform/database/statement-parameters.ts';
import type { LogCursor, LogExclusion, LogFilter } from './log.ts';

export const logColumns = `r.id, r.actor_id as "actorId", r.actor_type as "actorType", r.entity_type as "entityType",
  r.entity_id as "entityId", r.operation, r.outcome, r.transform, r.key_id as "keyId", r.request_id as "requestId",
  r.source_address as "sourceAddress", r.containers, r.destination, r.details, r.created_at as "createdAt"`;
export const newestFirst = 'order by r.created_at desc, r.id desc';

export function typesOf({ entityType }: LogFilter): readonly string[] {
  return entityType === undefined ? entityTypes : [entityType];
}

/** Returns the condition on the kind, for queries that find records by other columns. */
export function kindOf({ entityType }: LogFilter, parameters: Parameters): string {
  return entityType === undefined ? '' : `and r.entity_type = ${parameters.add(entityType)}`;
}

/** Returns the conditions besides tenant and kind, each preceded by `and`. */
export function conditionsOf(filter: LogFilter, parameters: Parameters, after?: LogCursor): string {
  const { entityId, requestId, facets, exclusions, from, to } = filter;
  const conditions = [
    ...(entityId === undefined ? [] : [`r.entity_id = ${parameters.add(entityId)}`]),
    // The index compares bytes, so the condition must use the same collation.
    ...(requestId === undefined ? [] : [`r.request_id collate "C" = ${parameters.add(requestId)}`]),
    ...facets.map(({ field, value }) => `r.${field} = ${parameters.add(value)}${typesOfColumns[field] ?? ''}`),
    ...exclusions.map((exclusion) => toExclusion(exclusion, parameters)),
    ...(from === undefined ? [] : [`r.created_at >= ${parameters.add(toSqlTime(from.getTime()))}::timestamptz`]),
    ...(to === undefined ? [] : [`r.created_at < ${parameters.add(toSqlTime(to.getTime()))}::timestamptz`]),
    ...(after === undefined
      ? []
      : [
          `(r.created_at, r.id) < (${parameters.add(after.createdAt)}::timestamptz, ${parameters.add(after.id)}::uuid)`,
        ]),
  ];
  return conditions.map((condition) => `and ${condition}`).join(' ');
}

/**
 * Returns the condition for records after a cursor, for queries that have their own bounds. With a row comparison,
 * PostgreSQL would start at the cursor and read until it reaches those bounds, which takes longer the further away they
 * are.
 */
export function following(after: LogCursor | undefined, parameters: Parameters): string {
  if (after === undefined) return '';
  const time = `${parameters.add(after.createdAt)}::timestamptz`;
  return `and (r.created_at < ${time} or (r.created_at = ${time} and r.id < ${parameters.add(after.id)}::uuid))`;
}

/**
 * What members see by merely looking: nothing is changed, nothing is refused, no plaintext is shown, and nothing is
 * downloaded.
 */
const memberViews = `(r.actor_type = 'user' and r.outcome = 'success' and r.operation in ('read', 'search')
  and r.transform is distinct from 'reveal' and r.details::jsonb ->> 'via' is distinct from 'download')`;

/** A record without the field is not left out. */
function toExclusion(exclusion: LogExclusion, parameters: Parameters): string {
  if (exclusion === 'member_views') return `${memberViews} is not true`;
  const { field, value } = exclusion;
  return `r.${field} is distinct from ${parameters.add(value)}${typesOfColumns[field] ?? ''}`;
}

const typesOfColumns: Readonly<Record<string, string>> = { actor_id: '::uuid', key_id: '::uuid' };

const earliest = new Date('0001-01-01T00:00:00Z').getTime();
const latest = new Date('9999-12-31T23:59:59.999Z').getTime();

/**
 * Formats a time for SQL. A time with a UTC offset can be outside the four-digit years. It is then earlier or later
 * than every record.
 */
export function toSqlTime(milliseconds: number): string {
  if (milliseconds > latest) return 'infinity';
  return milliseconds < earliest ? '-infinity' : new Date(milliseconds).toISOString();
}
