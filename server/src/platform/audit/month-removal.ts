import type { AuditRecord } from '../../core/audit/record-text.ts';
import { type LogTree, nameOfTree } from '../../core/audit/log-tree.ts';
import { membersOf } from '../../core/objects/members-of.ts';
import { type AuditSigner, isSignedBy } from '../keyring/audit-signer.ts';
import { type AuditEvent, successEvent } from './audit-event.ts';
import type { SignedCheckpoint } from './checkpoint.ts';
import { parseJsonOrNothing } from './json-or-nothing.ts';

/** A month that retention drops from a tree: its records up to the newest checkpoint that it has. */
export type MonthRemoval = Pick<SignedCheckpoint, 'tenantId' | 'node' | 'month' | 'number' | 'root'>;

/** What the signature is over. Its first line is none that a checkpoint begins with: neither passes for the other. */
function toRemovalText(removal: MonthRemoval): string {
  return [
    'strongroom/audit-removal/1',
    nameOfTree(removal),
    `month ${removal.month}`,
    `number ${removal.number}`,
    `root ${removal.root.toString('base64')}`,
    '',
  ].join('\n');
}

/** The record that a month is dropped. It is signed, since anyone who owns the database can write a record. */
export function toRemovalEvent(removal: MonthRemoval, signer: AuditSigner): AuditEvent {
  const details = {
    number: removal.number,
    root: removal.root.toString('base64'),
    signature: signer.sign(toRemovalText(removal)).toString('base64'),
  };
  return { ...successEvent('log', toRemovedMonth(removal.month), 'delete'), details };
}

/** The entity of the record: `2026-11`. */
export function toRemovedMonth(month: string): string {
  return month.slice(0, 7);
}

/** Whether a record of the log says, in the name of the vault, that a month was dropped. */
export function isOfRetention(
  record: Pick<AuditRecord, 'entity_type' | 'operation' | 'outcome' | 'actor_type'>,
): boolean {
  const { entity_type, operation, outcome, actor_type } = record;
  return entity_type === 'log' && operation === 'delete' && outcome === 'success' && actor_type === 'system';
}

/** Undefined unless the vault has signed it for this tree. */
export function parseRemoval(
  { month, details }: { readonly month: string; readonly details: string | null },
  tree: LogTree,
  publicKey: Buffer,
): MonthRemoval | undefined {
  const { number, root, signature } = membersOf(parseJsonOrNothing(details ?? ''));
  if (typeof number !== 'number' || typeof root !== 'string' || typeof signature !== 'string') return undefined;
  const removal = { ...tree, month: `${month}-01`, number, root: Buffer.from(root, 'base64') };
  return isSignedBy(publicKey, toRemovalText(removal), Buffer.from(signature, 'base64')) ? removal : undefined;
}

export function isSameRemoval(a: MonthRemoval, b: Pick<MonthRemoval, 'number' | 'root'>): boolean {
  return a.number === b.number && a.root.equals(b.root);
}
