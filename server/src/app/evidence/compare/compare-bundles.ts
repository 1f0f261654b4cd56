import { codeOf } from '../../../core/errors/thrown.ts';
import type { EvidenceView } from '../bundle/evidence-schema.ts';
import { verifyBundle } from '../bundle/verify-bundle.ts';
import { findIncomparable, toComparisonNotes } from './comparable.ts';
import { compareEvidence, type EvidenceComparison } from './compare-evidence.ts';

export interface ComparedBundles {
  readonly earlier: EvidenceView;
  readonly later: EvidenceView;
  readonly notes: readonly string[];
  readonly comparison: EvidenceComparison;
}

/** Verifies two bundles without the vault, and compares them. Returns instead why that is not possible. */
export async function compareBundles(
  folders: { readonly earlier: string; readonly later: string },
  publicKey: Buffer,
): Promise<ComparedBundles | { readonly problems: readonly string[] }> {
  const earlier = await openBundle('earlier', folders.earlier, publicKey);
  const later = await openBundle('later', folders.later, publicKey);
  if (earlier.evidence === undefined || later.evidence === undefined)
    return { problems: [...earlier.problems, ...later.problems] };
  const views = [earlier.evidence, later.evidence] as const;
  const problem = findIncomparable(...views);
  if (problem !== undefined) return { problems: [problem] };
  return {
    earlier: views[0],
    later: views[1],
    notes: toComparisonNotes(...views),
    comparison: compareEvidence(...views),
  };
}

async function openBundle(which: string, folder: string, publicKey: Buffer) {
  const refuse = (problems: readonly string[]) => ({
    evidence: undefined,
    problems: problems.map((problem) => `The ${which} bundle does not verify. ${problem}`),
  });
  try {
    const { problems, evidence } = await verifyBundle(folder, publicKey);
    return problems.length > 0 || evidence === undefined ? refuse(problems) : { evidence, problems: [] };
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    return refuse([`It cannot be read (${code}).`]);
  }
}
