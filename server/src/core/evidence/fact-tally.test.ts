import { describe, expect, it } from 'vitest';
import { affectedMax, type FactDefinition } from './fact.ts';
import { FactTally } from './fact-tally.ts';

const definition: FactDefinition = {
  id: 'things',
  row: 'retention',
  foundBy: 'counting',
  proof: { notProvable: 'it is a test' },
  figure: { things: 'sum', oldest: 'greatest' },
  weight: 'fails',
  holds: ({ things = 0 }) => `${things} things, all good.`,
  found: ({ things = 0, oldest = 0 }, affected) => `${affected} of ${things} things, the oldest ${oldest}.`,
  remedy: 'repair them',
};
const at = new Date('2026-11-19T10:00:00Z');
const affected = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ tenantId: null, kind: 'thing', id: String(index) }));

describe('a tally of a fact', () => {
  it('adds up figures, takes the greatest where that is meant, and holds if nothing is affected', () => {
    const tally = new FactTally(definition);
    tally.add({ figure: { things: 2, oldest: 9 }, affected: [] }, at);
    tally.add({ figure: { things: 3, oldest: 4 }, affected: [] }, at);
    expect(tally.finish()).toMatchObject({
      verdict: 'holds',
      sentence: '5 things, all good.',
      figure: { things: 5, oldest: 9 },
      readAt: at,
    });
  });

  it('lists no more than a few of those affected, and counts all', () => {
    const tally = new FactTally(definition);
    for (let round = 0; round < 3; round += 1) tally.add({ figure: { things: 60 }, affected: affected(60) }, at);
    tally.add({ figure: { things: 1_000 }, affected: affected(1), affectedTotal: 1_000 }, at);
    const fact = tally.finish();
    expect(fact.affected).toHaveLength(affectedMax);
    expect(fact).toMatchObject({
      verdict: 'fails',
      affectedTotal: 1_180,
      sentence: '1180 of 1180 things, the oldest 0.',
    });
  });

  it('is never good if something could not be read', () => {
    const unread = new FactTally(definition);
    unread.add({ figure: { things: 2 }, affected: [] }, at);
    unread.addFailure(at);
    expect(unread.finish()).toMatchObject({
      verdict: 'attention',
      sentence: expect.stringContaining('could not be read'),
    });
    const partly = new FactTally(definition);
    partly.addFailure(at);
    partly.add({ figure: { things: 2 }, affected: affected(2) }, at);
    expect(partly.finish()).toMatchObject({
      verdict: 'fails',
      sentence: expect.stringContaining('Some of it could not'),
    });
  });

  it('lists without judging if the fact has no weight', () => {
    const { weight: _weight, found: _found, ...rest } = definition;
    const tally = new FactTally(rest);
    tally.add({ figure: { things: 1 }, affected: affected(1) }, at);
    expect(tally.finish()).toMatchObject({ verdict: 'holds', affectedTotal: 1, sentence: '1 things, all good.' });
  });
});
