import type { AuditRecord } from '../../core/audit/record-text.ts';
import type { LogTree } from '../../core/audit/log-tree.ts';
import { membersOf } from '../../core/objects/members-of.ts';
import type { AuditEvent } from './audit-event.ts';
import type { SignedCheckpoint } from './checkpoint.ts';
import { parseJsonOrNothing } from './json-or-nothing.ts';

/** How far a tenant's log on a node was sealed when home noted it. */
export interface NodeSeal extends LogTree, Pick<SignedCheckpoint, 'number' | 'treeSize' | 'root'> {
  readonly node: string;
}

/** The record of it, in the log at home. */
export function toNodeSealEvent({ node, number, treeSize, root }: NodeSeal): AuditEvent {
  return {
    entityType: 'log',
    entityId: node,
    operation: 'seal',
    outcome: 'success',
    details: { number, size: treeSize, root: root.toString('base64') },
  };
}

/** What some records of the log at home have noted. */
export function listNodeSeals(records: readonly AuditRecord[]): NodeSeal[] {
  return records.filter(isNodeSeal).flatMap(({ tenant_id: tenantId, entity_id: node, details }) => {
    const seal = parseSealDetails(details);
    return seal === undefined ? [] : [{ tenantId, node, ...seal }];
  });
}

function isNodeSeal({ entity_type, operation, outcome, actor_type }: AuditRecord): boolean {
  return entity_type === 'log' && operation === 'seal' && outcome === 'success' && actor_type === 'system';
}

/** Undefined for what is not of a seal. */
export function parseSealDetails(text: string | null): Pick<NodeSeal, 'number' | 'treeSize' | 'root'> | undefined {
  const { number, size, root } = membersOf(parseJsonOrNothing(text ?? ''));
  if (!Number.isSafeInteger(number) || !Number.isSafeInteger(size) || typeof root !== 'string') return undefined;
  return { number: Number(number), treeSize: Number(size), root: Buffer.from(root, 'base64') };
}
