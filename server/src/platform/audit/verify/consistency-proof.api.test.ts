import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fillLog, sealAll, signerOf } from '../../../../test/harness/sealed-log.ts';
import { TestVault } from '../../../../test/harness/test-vault.ts';
import type { StoredCheckpoint } from '../seal/checkpoint-row.ts';
import { isConsistent, parseConsistencyJson, proveConsistency, toConsistencyJson } from './consistency-proof.ts';
import { LogReader } from './log-reader.ts';

let vault: TestVault;
let reader: LogReader;
const checkpoints: StoredCheckpoint[] = [];
beforeAll(async () => {
  vault = await TestVault.start();
  const { id } = await vault.makeTenant();
  reader = new LogReader(vault.database.open());
  // Sizes with different subtrees, and one checkpoint that completes several of them.
  for (const count of [0, 1, 1, 2, 5, 20, 3, 60]) {
    if (count > 0) await fillLog(vault.database, { tenantId: id, count, perTransaction: 7 });
    await sealAll(vault.database, signerOf(vault.server));
    const newest = await reader.newestCheckpoint(id);
    if (newest !== undefined && newest.number !== checkpoints.at(-1)?.number) checkpoints.push(newest);
  }
});
afterAll(() => vault.stop());

describe('a proof that a log has only grown', () => {
  it('holds between any two checkpoints, and after it was written as JSON', async () => {
    const key = signerOf(vault.server).publicKey;
    expect(checkpoints.length).toBeGreaterThan(6);
    for (const [index, older] of checkpoints.entries()) {
      for (const newer of checkpoints.slice(index)) {
        const proof = await proveConsistency(reader, older, newer);
        const parsed = parseConsistencyJson(JSON.parse(JSON.stringify(toConsistencyJson(proof))));
        expect([older.treeSize, newer.treeSize, parsed !== undefined && isConsistent(parsed, key)]).toEqual([
          older.treeSize,
          newer.treeSize,
          true,
        ]);
      }
    }
  });

  it('does not hold with another hash, order, length, checkpoint or key', async () => {
    const key = signerOf(vault.server).publicKey;
    const [first, older, newer] = [checkpoints[0], checkpoints[2], checkpoints.at(-1)];
    if (first === undefined || older === undefined || newer === undefined) throw new Error('Checkpoints are missing.');
    const proof = await proveConsistency(reader, older, newer);
    const wrong = Buffer.alloc(32, 1);
    const { appended } = proof;
    const changed = [
      { ...proof, frontier: Buffer.alloc(proof.frontier.length) },
      { ...proof, appended: [wrong, ...appended.slice(1)] },
      { ...proof, appended: appended.toReversed() },
      { ...proof, appended: appended.slice(1) },
      { ...proof, appended: [...appended, wrong] },
      { ...proof, appended: [...appended.slice(1), Buffer.alloc(31)] },
      { ...proof, older: first },
      { ...proof, older: newer, newer: older },
      { ...proof, newer: { ...newer, treeSize: newer.treeSize + 1 } },
      { ...proof, newer: { ...newer, tenantId: crypto.randomUUID() } },
    ];
    expect(appended.length).toBeGreaterThan(2);
    expect(isConsistent(proof, key)).toBe(true);
    expect(changed.map((one) => isConsistent(one, key))).toEqual(changed.map(() => false));
    expect(isConsistent(proof, Buffer.alloc(32, 9))).toBe(false);
  });

  it('is nothing else', () => {
    for (const value of [undefined, null, 1, [], {}, { older: {}, newer: {}, frontier: '', appended: [] }])
      expect(parseConsistencyJson(value)).toBeUndefined();
  });
});
