import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fillLog, sealAll, signerOf } from '../../../../test/harness/sealed-log.ts';
import { TestVault } from '../../../../test/harness/test-vault.ts';
import { compareRecords, firstOrder, hashRecord } from '../seal/audit-record.ts';
import type { StoredCheckpoint } from '../seal/checkpoint-row.ts';
import { LogReader } from './log-reader.ts';
import { type LeafRun, parseRunsJson, proveRuns, RunsCheck, type RunsProof, toRunsJson } from './runs-proof.ts';

let vault: TestVault;
let reader: LogReader;
let newest: StoredCheckpoint;
let leaves: readonly Buffer[];
beforeAll(async () => {
  vault = await TestVault.start();
  const { id } = await vault.makeTenant();
  reader = new LogReader(vault.database.open());
  for (const count of [1, 6, 20, 3, 40]) {
    await fillLog(vault.database, { tenantId: id, count, perTransaction: 7 });
    await sealAll(vault.database, signerOf(vault.server));
  }
  const found = await reader.newestCheckpoint(id);
  if (found === undefined) throw new Error('Nothing was sealed.');
  newest = found;
  const records = await reader.recordsBetween(id, firstOrder, newest.orderTo);
  leaves = records.toSorted(compareRecords).map(hashRecord);
});
afterAll(() => vault.stop());

const key = () => signerOf(vault.server).publicKey;
const leavesOf = (runs: readonly LeafRun[]) => runs.flatMap(({ from, count }) => leaves.slice(from, from + count));
function isProven(proof: RunsProof, hashes: readonly Buffer[], publicKey = key()): boolean {
  const check = new RunsCheck(proof);
  for (const hash of hashes) check.add(hash);
  return check.isProven(publicKey);
}

describe('a proof of runs of records', () => {
  it('holds for any runs, and after it was written as JSON', async () => {
    const last = newest.treeSize - 1;
    const all: LeafRun[][] = [
      [],
      [{ from: 0, count: 1 }],
      [{ from: last, count: 1 }],
      [{ from: 0, count: newest.treeSize }],
      [
        { from: 1, count: 2 },
        { from: 9, count: 1 },
        { from: 30, count: 17 },
      ],
      ...Array.from({ length: last - 3 }, (_, n) => [
        { from: n, count: 1 },
        { from: n + 2, count: 2 },
      ]),
    ];
    for (const runs of all) {
      const proof = await proveRuns(reader, runs, newest);
      const parsed = parseRunsJson(JSON.parse(JSON.stringify(toRunsJson(proof))));
      expect([runs, parsed !== undefined && isProven(parsed, leavesOf(runs))]).toEqual([runs, true]);
    }
  });

  it('does not hold with another record, order, number, position, hash, root or key', async () => {
    const runs = [
      { from: 3, count: 2 },
      { from: 20, count: 4 },
    ];
    const proof = await proveRuns(reader, runs, newest);
    const right = leavesOf(runs);
    const wrong = Buffer.alloc(32, 1);
    expect(isProven(proof, right)).toBe(true);
    for (const hashes of [
      [wrong, ...right.slice(1)],
      right.toReversed(),
      right.slice(1),
      right.slice(0, -1),
      [...right, right[0] ?? wrong],
      [],
    ])
      expect(isProven(proof, hashes)).toBe(false);
    const [first = [], ...others] = proof.gaps;
    for (const changed of [
      { ...proof, runs: [{ from: 4, count: 2 }, ...proof.runs.slice(1)] },
      { ...proof, runs: proof.runs.toReversed() },
      { ...proof, runs: [{ from: 3, count: 6 }] },
      { ...proof, runs: [{ from: -3, count: 2 }, ...proof.runs.slice(1)] },
      { ...proof, gaps: [[wrong, ...first.slice(1)], ...others] },
      { ...proof, gaps: [first.slice(1), ...others] },
      { ...proof, gaps: [[...first, wrong], ...others] },
      { ...proof, gaps: others },
      { ...proof, checkpoint: { ...newest, treeSize: newest.treeSize + 1 } },
      { ...proof, checkpoint: { ...newest, root: wrong } },
    ])
      expect(isProven(changed, right)).toBe(false);
    expect(isProven(proof, right, Buffer.alloc(32, 7))).toBe(false);
  });

  it('needs no records before the first run, nor any if there is none', async () => {
    const { tenantId } = newest;
    await fillLog(vault.database, { tenantId, count: 2 });
    await sealAll(vault.database, signerOf(vault.server));
    const last = await reader.newestCheckpoint(tenantId);
    if (last === undefined) throw new Error('Nothing was sealed.');
    const own = await reader.recordsBetween(tenantId, newest.orderTo, last.orderTo);
    await vault.database.owner.query('delete from audit_records where tenant_id = $1 and sealing_order < $2', [
      tenantId,
      newest.orderTo,
    ]);
    const runs = [{ from: newest.treeSize, count: 2 }];
    expect(isProven(await proveRuns(reader, [], last), [])).toBe(true);
    expect(isProven(await proveRuns(reader, runs, last), own.toSorted(compareRecords).map(hashRecord))).toBe(true);
    const damaged = { ...last, frontier: Buffer.alloc(last.frontier.length, 1) };
    await expect(proveRuns(reader, [], damaged)).rejects.toThrow('damaged');
  });
});
