import type { SignedCheckpoint } from './checkpoint.ts';

export interface CheckpointRow {
  readonly tenant_id: string;
  readonly number: string;
  readonly tree_size: string;
  readonly month: string;
  readonly order_to: string;
  readonly root: Buffer;
  readonly frontier: Buffer;
  readonly sealed_at: Date;
  readonly key_version: number;
  readonly signature: Buffer;
}

export const checkpointColumns = `c.tenant_id, c.number, c.tree_size, c.month::text, c.order_to::text, c.root, c.frontier,
  c.sealed_at, c.key_version, c.signature`;

export interface StoredCheckpoint extends SignedCheckpoint {
  readonly frontier: Buffer;
}

export function toCheckpoint(row: CheckpointRow): StoredCheckpoint {
  return {
    tenantId: row.tenant_id,
    number: Number(row.number),
    treeSize: Number(row.tree_size),
    month: row.month,
    orderTo: row.order_to,
    root: row.root,
    frontier: row.frontier,
    sealedAt: row.sealed_at,
    keyVersion: row.key_version,
    signature: row.signature,
  };
}
