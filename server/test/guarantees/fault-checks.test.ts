import { expect, test } from 'vitest';
import type { Evidence } from '../../../faults/check/check.ts';
import { tokensCheck } from '../../../faults/check/token-model.ts';
import { gapsOf } from '../../../faults/gaps.ts';
import type { Injected } from '../../../faults/injections/injected.ts';
import type { Entry, Outcome } from '../../../faults/load/history.ts';

/*
 * The fault runs are only useful if their checks detect what went wrong. These are faulty histories that once passed
 * the checks.
 */

const entry = (
  operation: string,
  [startedAt, endedAt]: readonly [number, number],
  { outcome = 'done', status = 200, value }: { outcome?: Outcome; status?: number; value?: number } = {},
): Entry => ({
  operation,
  trace: '',
  startedAt,
  endedAt,
  status,
  outcome,
  facts: { id: 'life-1', ...(value === undefined ? {} : { value }) },
});

function findings(entries: readonly Entry[], last: number | undefined): unknown {
  const tokens = new Map(last === undefined ? [] : [['life-1', { value: last }]]);
  return tokensCheck.run({ entries, state: { tokens } } as unknown as Evidence);
}

const created = entry('create', [1, 2], { value: 0 });
const unclearDelete = entry('delete', [3, 4], { outcome: 'unknown', status: 0 });
const gone = { outcome: 'refused', status: 404 } as const;

test('a token that a reader saw deleted does not come back', () => {
  expect(findings([created, unclearDelete, entry('get', [5, 6], gone)], 0)).toEqual([
    'life-1: in the end it is 0, but gone was certain by then',
  ]);
});

test('a token whose deletion nobody saw may still be there or not', () => {
  expect(findings([created, unclearDelete], 0)).toEqual([]);
  expect(findings([created, unclearDelete], undefined)).toEqual([]);
});

test('a token that nobody has seen yet may be missing while it is created', () => {
  const unclearCreate = entry('create', [1, 9], { outcome: 'unknown', status: 0, value: 0 });
  expect(findings([unclearCreate, entry('get', [2, 3], gone)], 0)).toEqual([]);
});

test('a fault during which nothing succeeded is a gap from its begin to its end', () => {
  const fault: Injected = {
    name: 'all servers',
    beganAt: 1_000,
    healthyAt: 31_000,
    isHealthy: true,
    acts: [],
    failsNobody: false,
    makesTimeUnclear: false,
  };
  expect(gapsOf([entry('get', [1, 2], { value: 0 })], [fault])).toEqual([{ name: 'all servers', seconds: 30 }]);
});
