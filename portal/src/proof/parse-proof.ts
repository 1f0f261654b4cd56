import type { CheckpointFields } from '../../../server/src/core/audit/checkpoint-text.ts';
import { type AuditRecord, recordFields } from '../../../server/src/core/audit/record-text.ts';

export interface Proof {
  readonly record: AuditRecord;
  readonly index: number;
  readonly path: readonly string[];
  readonly checkpoint: CheckpointFields & { readonly key_version: number; readonly signature: string };
  readonly public_key: string;
}

type Members = Readonly<Record<string, unknown>>;

const checkpointShape = {
  tenant_id: 'string',
  number: 'number',
  tree_size: 'number',
  month: 'string',
  order_to: 'string',
  root: 'string',
  sealed_at: 'string',
  key_version: 'number',
  signature: 'string',
} as const;
const proofNames = ['record', 'index', 'path', 'checkpoint', 'public_key'];

/** Returns undefined unless the value has exactly the members of a proof, each with the right type. */
export function parseProof(value: unknown): Proof | undefined {
  if (!hasExactly(value, proofNames)) return undefined;
  const { record, index, path, checkpoint, public_key: publicKey } = value;
  if (!hasExactly(record, recordFields) || !hasExactly(checkpoint, Object.keys(checkpointShape))) return undefined;
  const isWhole = Object.entries(checkpointShape).every(([name, kind]) => isOfKind(checkpoint[name], kind));
  const isListed = Array.isArray(path) && path.every((hash) => typeof hash === 'string');
  if (!isWhole || !isListed || !isOfKind(index, 'number') || typeof publicKey !== 'string') return undefined;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Every member has just been checked.
  return value as unknown as Proof;
}

function isOfKind(value: unknown, kind: 'string' | 'number'): boolean {
  return kind === 'number' ? Number.isSafeInteger(value) : typeof value === 'string';
}

function hasExactly(value: unknown, names: readonly string[]): value is Members {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const present = Object.keys(value);
  return present.length === names.length && names.every((name) => Object.hasOwn(value, name));
}
