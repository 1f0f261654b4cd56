/** The state of a tenant's tree at one size, with the field names used in proofs, exports and anchors. */
export interface CheckpointFields {
  readonly tenant_id: string;
  readonly number: number;
  readonly tree_size: number;
  readonly month: string;
  readonly order_to: string;
  /** The root hash in base64. */
  readonly root: string;
  readonly sealed_at: string;
}

/**
 * Returns the text that is signed. It is the body of a transparency-log checkpoint (C2SP tlog-checkpoint): one line
 * each for origin, size and root, followed by our own extension lines.
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
