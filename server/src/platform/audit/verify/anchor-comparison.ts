import { isGenuine, parseCheckpointJson, type SignedCheckpoint } from '../seal/checkpoint.ts';
import { readLines } from '../../files/line-reader.ts';
import type { Finding } from './log-verifier.ts';

/** The fields of a checkpoint that identify a state of the tree. */
export type SealedRoot = Pick<SignedCheckpoint, 'treeSize' | 'root'>;

/** Returns the log's checkpoints with these numbers. Numbers without a checkpoint are omitted. */
export type FindRoots = (tenantId: string, numbers: readonly number[]) => Promise<ReadonlyMap<number, SealedRoot>>;

export interface AnchorVerdict {
  readonly findings: readonly Finding[];
  /** The number of lines that this vault did not sign, including lines that a crash cut short. */
  readonly foreignLines: number;
  /** The number of the newest checkpoint of each tenant about which the anchor and the log agree. */
  readonly newest: ReadonlyMap<string, number>;
}

const linesPerStep = 1_000;
/**
 * The maximum number of findings. If somebody has rewritten a log, every checkpoint differs, and the first differences
 * are enough.
 */
const findingsMax = 100;

/**
 * Compares every line of the anchor with the log. The newest line alone is not enough: a truncated log grows again, and
 * its new checkpoints are anchored under the same numbers.
 */
export async function compareWithAnchor(path: string, publicKey: Buffer, findRoots: FindRoots): Promise<AnchorVerdict> {
  const findings: Finding[] = [];
  const newest = new Map<string, number>();
  let foreignLines = 0;
  const compare = async (lines: readonly SignedCheckpoint[]) => {
    for (const [tenantId, own] of Map.groupBy(lines, (line) => line.tenantId)) {
      const roots = await findRoots(
        tenantId,
        own.map(({ number }) => number),
      );
      for (const line of own) {
        const root = roots.get(line.number);
        if (root !== undefined && root.treeSize === line.treeSize && root.root.equals(line.root)) {
          newest.set(tenantId, Math.max(newest.get(tenantId) ?? 0, line.number));
          continue;
        }
        // The signature matters only if the line differs from the log.
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
  return { findings, foreignLines, newest };
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
