import { type CheckpointFields, toCheckpointText } from '../../../core/audit/checkpoint-text.ts';
import { membersOf } from '../../../core/objects/members-of.ts';
import { isSignedBy } from '../../keyring/sealing/audit-signer.ts';

/** The version of the key that signs checkpoints. There has only been one. */
export const auditKeyVersion = 1;

/** The state of a tenant's tree at one size, with a signature. */
export interface Checkpoint {
  readonly tenantId: string;
  /** The number of the checkpoint, counted from 1 without gaps. */
  readonly number: number;
  readonly treeSize: number;
  /** The first day of the month in which its records were created. */
  readonly month: string;
  /** The end of its records in sealing order, exclusive. They begin at the `orderTo` of the previous checkpoint. */
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

/** Returns true if the holder of the key signed the checkpoint. The version of the key is not part of the signed text. */
export function isGenuine(checkpoint: SignedCheckpoint, publicKey: Buffer): boolean {
  return (
    checkpoint.keyVersion === auditKeyVersion && isSignedBy(publicKey, toSignedText(checkpoint), checkpoint.signature)
  );
}

/** Returns the checkpoint as JSON. Exports and anchors store it as one line. */
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

/** Returns undefined for anything that is not a checkpoint. The signature is not checked. */
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
