import { describe, expect, it } from 'vitest';
import { chooseDue } from './due-heads.ts';
import type { WaitingHead } from './run-store.ts';

const head = (leaves: number, waitSeconds = 0): WaitingHead => ({
  id: crypto.randomUUID(),
  entityId: null,
  leaves: Array.from({ length: leaves }, (_, leaf) => leaf),
  isResent: true,
  attempts: 0,
  waitSeconds,
});

describe('chooseDue', () => {
  it('takes what is due, in order', () => {
    const heads = [head(1), head(1, 60), head(2)];
    expect(chooseDue(heads, false)).toEqual([heads[0], heads[2]]);
  });

  // A tenant could otherwise resend two hundred batches, whose records a run would look up one by one.
  it('takes no more records than a pass should read', () => {
    const heads = Array.from({ length: 200 }, () => head(100));
    expect(chooseDue(heads, false)).toEqual(heads.slice(0, 5));
  });

  it('takes at least one, however many records it has', () => {
    const heads = [head(600), head(1)];
    expect(chooseDue(heads, false)).toEqual(heads.slice(0, 1));
  });

  it('takes one if the endpoint is failing, whether it is due or not', () => {
    const heads = [head(1, 60), head(1)];
    expect(chooseDue(heads, true)).toEqual(heads.slice(0, 1));
  });
});
