import type { TokenId } from '../../../core/identity/ids.ts';
import { type AuditEvent, type EntityType, type Operation, successEvent } from '../../../platform/audit/audit-event.ts';

const entityTypes: ReadonlyMap<string, EntityType> = new Map([
  ['card', 'card'],
  ['bank', 'bank'],
]);

/** What the audit log says of an operation on a token: which one, where it lies, never what is in it. */
export function tokenEvent(
  token: { readonly id: TokenId; readonly type: string; readonly containers: readonly string[] },
  operation: Operation,
): AuditEvent {
  const entityType = entityTypes.get(token.type) ?? 'token';
  return { ...successEvent(entityType, token.id, operation), containers: token.containers };
}
