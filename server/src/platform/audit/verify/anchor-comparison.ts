import { isGenuine, parseCheckpointJson, type SignedCheckpoint } from '../seal/checkpoint.ts';
import { readLines } from '../../files/line-reader.ts';
import type { Finding } from './log-verifier.ts';

/** What a checkpoint says about the tree. */
export type SealedRoot = Pick<SignedCheckpoint, 'treeSize' | 'root'>;

/** The checkpoints of the log with these numbers, as far as it has them. */
export type FindRoots = (tenantId: string, numbers: readonly number[]) => Promise<ReadonlyMap<number, SealedRoot>>;

export interface AnchorVerdict {
  readonly findings: readonly Finding[];
  /** Lines that this vault did not sign; one that a crash cut off is among them. */
  readonly foreignLines: number;
}

const linesPerStep = 1_000;
/** Anyone who has rewritten a log has changed every checkpoint: the first ones say enough. */
const findingsMax = 100;

/**
 * Compares every line of the second place with the log. All of them, not the newest alone: a log that was cut back grows
 * again, and is anchored again, under the same numbers.
 */
export async function compareWithAnchor(path: string, publicKey: Buffer, findRoots: FindRoots): Promise<AnchorVerdict> {
  const findings: Finding[] = [];
  let foreignLines = 0;
  const compare = async (lines: readonly SignedCheckpoint[]) => {
    for (const [tenantId, own] of Map.groupBy(lines, (line) => line.tenantId)) {
      const roots = await findRoots(
        tenantId,
        own.map(({ number }) => number),
      );
      for (const line of own) {
        const root = roots.get(line.number);
        if (root !== undefined && root.treeSize === line.treeSize && root.root.equals(line.root)) continue;
        // Only where something is wrong it matters who wrote the line.
        if (!isGenuine(line, publicKey)) foreignLines += 1;
        else if (findings.length < findingsMax) findings.push(toFinding(line, root));
      }
    }
  };
  let waiting: SignedCheckpoint[] = [];
  for await (const text of readLines(path)) {
    const line = parseLine(text);
    if (line !== undefined) waiting.push(line);
    else if (text !== '') foreignLines += 1;
    if (waiting.length < linesPerStep) continue;
    await compare(waiting);
    waiting = [];
  }
  await compare(waiting);
  return { findings, foreignLines };
}

function toFinding(line: SignedCheckpoint, root: SealedRoot | undefined): Finding {
  const { tenantId, number, treeSize } = line;
  const range = { from: 0, to: treeSize };
  return root === undefined
    ? { kind: 'records-missing', tenantId, range, message: `Checkpoint ${number} is in the anchor but not in the log.` }
    : { kind: 'anchor-differs', tenantId, range, message: `Checkpoint ${number} differs from the anchored one.` };
}

function parseLine(text: string): SignedCheckpoint | undefined {
  try {
    return parseCheckpointJson(JSON.parse(text));
  } catch {
    return undefined;
  }
}
