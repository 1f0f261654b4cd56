import { describe, expect, it } from 'vitest';
import type { Log, LogSlice } from './log.ts';
import { cursorAt } from './log-cursor.ts';
import { mergeSlices } from './merged-log.ts';

const at = (time: number) => new Date(time);
const id = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
const log = (time: number, number = time): Log => ({
  id: id(number),
  createdAt: at(time),
  actorId: null,
  actorType: null,
  entityType: 'token',
  entityId: 'x',
  operation: 'read',
  outcome: 'success',
  transform: null,
  keyId: null,
  requestId: null,
  sourceAddress: null,
  containers: null,
  destination: null,
  details: null,
});
const timesOf = ({ logs }: LogSlice) => logs.map(({ createdAt }) => createdAt.getTime());

describe('slices of several nodes', () => {
  it('are one, newest first, and by id within a millisecond', () => {
    const merged = mergeSlices([{ logs: [log(9, 1), log(5, 7)] }, { logs: [log(9, 2), log(5, 6)] }, { logs: [] }]);
    expect(merged.logs.map((one) => one.id)).toEqual([2, 1, 7, 6].map(id));
    expect(merged.stoppedAt).toBeUndefined();
  });

  it('end where the first of the searches has stopped, behind which something may be missing', () => {
    const merged = mergeSlices([
      { logs: [log(9), log(3)] },
      { logs: [log(8)], stoppedAt: cursorAt(at(6)) },
      { logs: [log(6), log(5)], stoppedAt: cursorAt(at(4)) },
    ]);
    expect(timesOf(merged)).toEqual([9, 8, 6]);
    expect(merged.stoppedAt).toEqual(cursorAt(at(6)));
  });
});
