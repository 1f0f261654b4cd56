import type { AuditRecord } from '../../../core/audit/record-text.ts';
import { membersOf } from '../../../core/objects/members-of.ts';
import { type AuditSigner, isSignedBy } from '../../keyring/sealing/audit-signer.ts';
import { type AuditEvent, successEvent } from '../record/audit-event.ts';
import type { SignedCheckpoint } from '../seal/checkpoint.ts';
import { parseJsonOrNothing } from '../record/json-or-nothing.ts';

/** A month that retention drops from a tenant's log: all records up to the newest checkpoint of that month. */
export type MonthRemoval = Pick<SignedCheckpoint, 'tenantId' | 'month' | 'number' | 'root'> & {
  /** True if the records were archived before, so that an archive must have them. */
  readonly isArchived?: true;
};

/**
 * Returns the signed text. A checkpoint never begins with this first line, so a signature of one is never valid for the
 * other.
 */
function toRemovalText(removal: MonthRemoval): string {
  return [
    'strongroom/audit-removal/1',
    removal.tenantId,
    `month ${removal.month}`,
    `number ${removal.number}`,
    `root ${removal.root.toString('base64')}`,
    ...(removal.isArchived === true ? ['archived'] : []),
    '',
  ].join('\n');
}

/** Returns the record of a dropped month. It is signed because the database owner can write any record. */
export function toRemovalEvent(removal: MonthRemoval, signer: AuditSigner): AuditEvent {
  const details = {
    number: removal.number,
    root: removal.root.toString('base64'),
    signature: signer.sign(toRemovalText(removal)).toString('base64'),
    ...(removal.isArchived === true ? { archived: true } : {}),
  };
  return { ...successEvent('log', toRemovedMonth(removal.month), 'delete'), details };
}

/** Returns the entity id of the record, such as `2026-11`. */
export function toRemovedMonth(month: string): string {
  return month.slice(0, 7);
}

/** Returns true if the record states, in the name of the vault, that a month was dropped. */
export function isOfRetention(
  record: Pick<AuditRecord, 'entity_type' | 'operation' | 'outcome' | 'actor_type'>,
): boolean {
  const { entity_type, operation, outcome, actor_type } = record;
  return entity_type === 'log' && operation === 'delete' && outcome === 'success' && actor_type === 'system';
}

/** Returns undefined unless the vault signed the removal for this tenant. */
export function parseRemoval(
  { month, details }: { readonly month: string; readonly details: string | null },
  tenantId: string,
  publicKey: Buffer,
): MonthRemoval | undefined {
  const { number, root, signature, archived } = membersOf(parseJsonOrNothing(details ?? ''));
  if (typeof number !== 'number' || typeof root !== 'string' || typeof signature !== 'string') return undefined;
  const removal: MonthRemoval = {
    tenantId,
    month: `${month}-01`,
    number,
    root: Buffer.from(root, 'base64'),
    ...(archived === true ? { isArchived: true } : {}),
  };
  return isSignedBy(publicKey, toRemovalText(removal), Buffer.from(signature, 'base64')) ? removal : undefined;
}

export function isSameRemoval(a: MonthRemoval, b: Pick<MonthRemoval, 'number' | 'root'>): boolean {
  return a.number === b.number && a.root.equals(b.root);
}
