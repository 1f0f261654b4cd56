import type { Transform } from '../../../core/access/access-rule.ts';
import type { TokenId } from '../../../core/identity/ids.ts';
import {
  type AuditDetails,
  type AuditEvent,
  type EntityType,
  type Operation,
  successEvent,
} from '../../../platform/audit/record/audit-event.ts';

const entityTypes: ReadonlyMap<string, EntityType> = new Map([
  ['card', 'card'],
  ['bank', 'bank'],
]);

/** Returns the SQL that maps the token type in `type` to its entity type. */
export function entityTypeSql(type: string): string {
  const cases = [...entityTypes].map(([tokenType, entityType]) => `when '${tokenType}' then '${entityType}'`);
  return `case ${type} ${cases.join(' ')} else 'token' end`;
}

/**
 * Returns the transform that describes how much of the data a view has shown. A mask that shows everything counts as
 * `reveal`.
 */
function seenTransform(transform: Transform, { isMaskWhole = false }: { readonly isMaskWhole?: boolean }): Transform {
  return transform === 'mask' && isMaskWhole ? 'reveal' : transform;
}

/** Returns the SQL counterpart of `seenTransform`, over the transform in a record and `is_mask_whole`. */
export function seenTransformSql(transform: string, isMaskWhole: string): string {
  return `case when ${transform} = 'mask' and ${isMaskWhole} then 'reveal' else ${transform} end`;
}

/** The part of a token that an operation shows to the caller. */
export interface Shown {
  /** Undefined if no data is shown, such as for a deleted token or for a response with only the id. */
  readonly transform: Transform | undefined;
  readonly details?: AuditDetails;
}

/** Used by operations that show nothing of the token. */
export const nothingShown: Shown = { transform: undefined };

/**
 * Returns the audit event for an operation on a token: which token, its containers and how it was shown, but never its
 * content.
 */
export function tokenEvent(
  token: {
    readonly id: TokenId;
    readonly type: string;
    readonly containers: readonly string[];
    readonly isMaskWhole?: boolean;
  },
  operation: Operation,
  { transform, details }: Shown,
): AuditEvent {
  const entityType = entityTypes.get(token.type) ?? 'token';
  return {
    ...successEvent(entityType, token.id, operation),
    containers: token.containers,
    ...(transform === undefined ? {} : { transform: seenTransform(transform, token) }),
    ...(details === undefined ? {} : { details }),
  };
}
