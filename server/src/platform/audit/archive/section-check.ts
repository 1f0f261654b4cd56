import { LogVerifier } from '../verify/log-verifier.ts';
import type { ArchivedSection } from './archive-lines.ts';

/** Returns true if the records are those that the checkpoint seals, after the checkpoint before it. */
export function isWhole({ before, checkpoint, records }: ArchivedSection, publicKey: Buffer): boolean {
  const { tenantId } = checkpoint;
  const verifier = new LogVerifier({ tenantId, publicKey, ...(before === undefined ? {} : { after: before }) });
  verifier.check({ checkpoint, records });
  return verifier.finish().findings.length === 0;
}
