import { expect, it } from 'vitest';
import type { StoredCheckpoint } from '../../../platform/audit/seal/checkpoint-row.ts';
import { TenantCheck } from './tenant-check.ts';

/** More than a function has parameters, and enough for work that is repeated for each to take minutes. */
const many = 200_000;
const tenantId = crypto.randomUUID();

/** A checkpoint that a receiver made up. Each claims one more record than the one before it. */
function madeUp(number: number): StoredCheckpoint {
  return {
    tenantId,
    number,
    treeSize: Number.MAX_SAFE_INTEGER - many + number,
    month: '2026-11-01',
    orderTo: String(number),
    root: Buffer.alloc(32),
    sealedAt: new Date(),
    keyVersion: 1,
    signature: Buffer.alloc(64),
    frontier: Buffer.alloc(0),
  };
}

it('any number of checkpoints that nothing leads to can wait, and the first of them is reported', () => {
  const check = new TenantCheck(tenantId, Buffer.alloc(32));
  for (let number = many; number > 1; number -= 1) {
    check.add({ kind: 'checkpoint', checkpoint: madeUp(number), mark: undefined });
  }
  expect(check.waiting).toBe(many - 1);
  expect(check.force()).toBe(true);
  expect(check.waiting).toBe(many - 2);
});
