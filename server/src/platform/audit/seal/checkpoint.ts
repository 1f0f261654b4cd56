import { type CheckpointFields, toCheckpointText } from '../../../core/audit/checkpoint-text.ts';
import { membersOf } from '../../../core/objects/members-of.ts';
import { isSignedBy } from '../../keyring/sealing/audit-signer.ts';

/** The state of a tenant's tree at one size, vouched for by a signature. */
export interface Checkpoint {
  readonly tenantId: string;
  /** Counted from 1, without gaps. */
  readonly number: number;
  readonly treeSize: number;
  /** First day of the month that its records were created in. */
  readonly month: string;
  /** Its records lie before this in sealing order, and not before the `orderTo` of the checkpoint before. */
  readonly orderTo: string;
  readonly root: Buffer;
  readonly sealedAt: Date;
}

export interface SignedCheckpoint extends Checkpoint {
  readonly keyVersion: number;
  readonly signature: Buffer;
}

export function toSignedText(checkpoint: Checkpoint): string {
  return toCheckpointText(toFields(checkpoint));
}

export function isGenuine(checkpoint: SignedCheckpoint, publicKey: Buffer): boolean {
  return isSignedBy(publicKey, toSignedText(checkpoint), checkpoint.signature);
}

/** One line of JSON: what exports and anchors hold. */
export function toCheckpointJson(checkpoint: SignedCheckpoint) {
  return {
    ...toFields(checkpoint),
    key_version: checkpoint.keyVersion,
    signature: checkpoint.signature.toString('base64'),
  };
}

function toFields(checkpoint: Checkpoint): CheckpointFields {
  return {
    tenant_id: checkpoint.tenantId,
    number: checkpoint.number,
    tree_size: checkpoint.treeSize,
    month: checkpoint.month,
    order_to: checkpoint.orderTo,
    root: checkpoint.root.toString('base64'),
    sealed_at: checkpoint.sealedAt.toISOString(),
  };
}

/** Undefined for anything that is not a checkpoint. Its signature is another question. */
export function parseCheckpointJson(value: unknown): SignedCheckpoint | undefined {
  const line = membersOf(value);
  const text = (name: string) => (typeof line[name] === 'string' ? line[name] : '');
  const number = (name: string) => {
    const member = line[name];
    return typeof member === 'number' && Number.isSafeInteger(member) ? member : Number.NaN;
  };
  const sealedAt = new Date(text('sealed_at'));
  const numbers = [number('number'), number('tree_size'), number('key_version'), sealedAt.getTime()];
  if (text('tenant_id') === '' || !/^-?\d{1,20}$/.test(text('order_to')) || numbers.some(Number.isNaN))
    return undefined;
  return {
    tenantId: text('tenant_id'),
    number: number('number'),
    treeSize: number('tree_size'),
    month: text('month'),
    orderTo: text('order_to'),
    root: Buffer.from(text('root'), 'base64'),
    sealedAt,
    keyVersion: number('key_version'),
    signature: Buffer.from(text('signature'), 'base64'),
  };
}
