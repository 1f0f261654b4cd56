/** The state of a tenant's tree at one size, as proofs, exports and anchors spell it. */
export interface CheckpointFields {
  readonly tenant_id: string;
  readonly number: number;
  readonly tree_size: number;
  readonly month: string;
  readonly order_to: string;
  /** As base64. */
  readonly root: string;
  readonly sealed_at: string;
}

/**
 * What is signed of a checkpoint: the body of a transparency-log checkpoint (C2SP tlog-checkpoint), that is origin, size and
 * root a line each, followed by lines of our own.
 */
export function toCheckpointText(checkpoint: CheckpointFields): string {
  return [
    `strongroom/audit/${checkpoint.tenant_id}`,
    String(checkpoint.tree_size),
    checkpoint.root,
    `number ${checkpoint.number}`,
    `month ${checkpoint.month}`,
    `order_to ${checkpoint.order_to}`,
    `sealed_at ${checkpoint.sealed_at}`,
    '',
  ].join('\n');
}
