import { OperatorError } from '../../core/errors/operator-error.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import { auditKeyVersion, isGenuine, toSignedText } from '../../platform/audit/seal/checkpoint.ts';
import { MerkleFrontier } from '../../platform/audit/seal/merkle-tree.ts';
import type { StoredCheckpoint } from '../../platform/audit/seal/checkpoint-row.ts';
import { listCheckpoints, updateSignatures } from '../../platform/audit/seal/moved-log.ts';
import type { MoveEnds } from './cell-end.ts';

/**
 * Signs the checkpoints that have arrived with the key of the target, after checking that the source has signed them. The
 * roots stay the same, so the tree goes on growing there, and proofs from before stay valid under the key of the source.
 * Returns the number of the newest checkpoint.
 */
export async function signArrivedLog(
  { source, target }: MoveEnds,
  tenantId: TenantId,
  afterNumber: number,
): Promise<number> {
  const theirs = source.core.systemKeys.auditSigner().publicKey;
  const ours = target.core.systemKeys.auditSigner();
  let last = afterNumber;
  for (;;) {
    const page = await listCheckpoints(target.admin, tenantId, last);
    const unsigned = page.filter((checkpoint) => !isGenuine(checkpoint, ours.publicKey));
    for (const checkpoint of unsigned) requireSound(checkpoint, theirs);
    const signed = unsigned.map((checkpoint) => ({
      number: checkpoint.number,
      keyVersion: auditKeyVersion,
      signature: ours.sign(toSignedText(checkpoint)),
    }));
    if (signed.length > 0) await updateSignatures(target.admin, tenantId, signed);
    const newest = page.at(-1);
    if (newest === undefined) return last;
    last = newest.number;
  }
}

function requireSound(checkpoint: StoredCheckpoint, publicKey: Buffer): void {
  const frontier = MerkleFrontier.parse(checkpoint.treeSize, checkpoint.frontier);
  if (isGenuine(checkpoint, publicKey) && frontier?.root().equals(checkpoint.root) === true) return;
  throw new OperatorError(
    `Checkpoint ${checkpoint.number} of the tenant's log is not what the source has signed. Run \`strongroom audit verify\` there.`,
  );
}
