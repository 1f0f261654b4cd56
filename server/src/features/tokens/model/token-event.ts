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

/** The same in SQL, over `type`. */
export function entityTypeSql(type: string): string {
  const cases = [...entityTypes].map(([tokenType, entityType]) => `when '${tokenType}' then '${entityType}'`);
  return `case ${type} ${cases.join(' ')} else 'token' end`;
}

/** How much of the data a view has shown: under a mask that shows everything, all of it. */
function seenTransform(transform: Transform, { isMaskWhole = false }: { readonly isMaskWhole?: boolean }): Transform {
  return transform === 'mask' && isMaskWhole ? 'reveal' : transform;
}

/** The same in SQL, over the transform in a record and `is_mask_whole`. */
export function seenTransformSql(transform: string, isMaskWhole: string): string {
  return `case when ${transform} = 'mask' and ${isMaskWhole} then 'reveal' else ${transform} end`;
}

/** What the caller is shown of a token by an operation. */
export interface Shown {
  /** Undefined if nothing of the data leaves, as for a deleted token or one of which only the id is told. */
  readonly transform: Transform | undefined;
  readonly details?: AuditDetails;
}

/** For operations that show nothing of the token. */
export const nothingShown: Shown = { transform: undefined };

/** What the audit log says of an operation on a token: which one, where it lies, how it was shown, never what is in it. */
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
