import { describe, expect, it } from 'vitest';
import type { FactDefinition } from '../../../core/evidence/fact.ts';
import { FactTally } from '../../../core/evidence/fact-tally.ts';
import type { EvidenceFact, EvidenceView } from '../bundle/evidence-schema.ts';
import { toEvidenceView, toFactView } from '../bundle/evidence-view.ts';
import { findIncomparable, toComparisonNotes } from './comparable.ts';
import { compareEvidence } from './compare-evidence.ts';

const definition: FactDefinition = {
  id: 'expired-tokens',
  row: 'retention',
  foundBy: 'counting',
  proof: { notProvable: 'it is a test' },
  figure: { tokens: 'sum', lag_hours: 'greatest' },
  weight: 'fails',
  holds: () => 'No token is stored past its expiry.',
  found: ({ tokens = 0 }) => `Still stored: ${tokens} tokens.`,
  remedy: 'run the worker',
};

interface Found {
  readonly tokens?: number;
  readonly hours?: number;
  readonly affected?: readonly string[];
  readonly total?: number;
  readonly failures?: number;
}

/** A fact as the vault writes it. */
function fact(id: string, { tokens = 0, hours = 0, affected = [], total, failures = 0 }: Found = {}): EvidenceFact {
  const tally = new FactTally({ ...definition, id });
  const listed = affected.map((one) => ({ tenantId: null, kind: 'application', id: one }));
  const figure = { tokens, lag_hours: hours };
  tally.add({ figure, affected: listed, ...(total === undefined ? {} : { affectedTotal: total }) }, new Date(0));
  for (let count = 0; count < failures; count += 1) tally.addFailure(new Date(0));
  return toFactView(tally.finish());
}

const attention = (one: EvidenceFact): EvidenceFact => ({ ...one, verdict: 'attention' });

function bundle(facts: readonly EvidenceFact[], own: Partial<EvidenceView> = {}): EvidenceView {
  const at = (day: string) => new Date(`2026-10-${day}T00:00:00Z`);
  const period = { from: at('01'), to: at('31') };
  const about = { version: '1.0.0', publicKey: Buffer.alloc(32), tenantId: undefined, tenants: 1, period };
  const view = toEvidenceView({ ...about, facts: [], startedAt: at('30'), finishedAt: at('31') });
  return {
    ...view,
    rows: view.rows.map((row) => (row.id === 'retention' ? { ...row, facts: [...facts] } : row)),
    ...own,
  };
}

const compare = (before: readonly EvidenceFact[], now: readonly EvidenceFact[]) =>
  compareEvidence(bundle(before), bundle(now));
const sentenceOf = (before: EvidenceFact, now: EvidenceFact) => compare([before], [now]).changes[0]?.sentence;

describe('two bundles', () => {
  it('that say the same have no change, whenever the facts were read', () => {
    const later = { ...fact('a'), read_at: '2026-11-01T00:00:00.000Z' };
    expect(compare([fact('a')], [later])).toEqual({ ok: true, changes: [], unchanged: 1, still_failing: [] });
  });

  it('list new failures first, then what cannot be told, what got worse, better, appeared, and other changes', () => {
    const failing = { tokens: 2, affected: ['x', 'y'] };
    const {
      ok,
      changes,
      unchanged,
      still_failing: stillFailing,
    } = compare(
      [
        fact('grows', { tokens: 1 }),
        fact('mended', failing),
        fact('weaker'),
        fact('gone'),
        fact('hidden', failing),
        fact('breaks'),
        fact('as-bad', failing),
        fact('same'),
      ],
      [
        fact('grows', { tokens: 2 }),
        fact('new'),
        fact('mended'),
        attention(fact('weaker', failing)),
        fact('hidden', { failures: 1 }),
        fact('breaks', failing),
        fact('as-bad', failing),
        fact('same'),
        fact('new-and-bad', failing),
      ],
    );
    expect(changes.map(({ fact: id, kind }) => [id, kind])).toEqual([
      ['breaks', 'new-failure'],
      ['new-and-bad', 'new-failure'],
      ['hidden', 'unread'],
      ['gone', 'vanished'],
      ['weaker', 'worse'],
      ['mended', 'better'],
      ['new', 'appeared'],
      ['grows', 'different'],
    ]);
    expect([ok, unchanged, stillFailing]).toEqual([false, 2, ['as-bad']]);
    expect(changes[0]).toMatchObject({
      earlier: 'holds',
      later: 'fails',
      to_do: 'run the worker',
      requirements: '3.2.1',
    });
  });

  it.each([
    ['fails and could not be read before', [fact('a', { failures: 1 })], [fact('a', { tokens: 1, affected: ['x'] })]],
    ['is missing', [fact('a')], []],
    ['could not be read', [fact('a')], [fact('a', { failures: 1 })]],
    ['failed and could not be read', [fact('a', { tokens: 1, affected: ['x'] })], [fact('a', { failures: 1 })]],
  ])('are not fine if a fact %s', (_what, before, now) => {
    expect(compare(before, now).ok).toBe(false);
  });

  it.each([
    ['fails as before', [fact('a', { tokens: 1, affected: ['x'] })], [fact('a', { tokens: 2, affected: ['x', 'y'] })]],
    ['needs attention', [fact('a')], [attention(fact('a', { tokens: 1, affected: ['x'] }))]],
    ['can be read again', [fact('a', { failures: 1 })], [fact('a')]],
  ])('are fine if a fact %s', (_what, before, now) => {
    expect(compare(before, now)).toMatchObject({ ok: true, changes: [{ fact: 'a' }] });
  });
});

describe('the sentence about a change', () => {
  it('says the verdict, what the fact says now, its numbers, and what it is about', () => {
    const before = fact('a', { hours: 7 });
    const now = fact('a', { tokens: 1_200, hours: 6.5, affected: ['x', 'y'] });
    expect(sentenceOf(before, now)).toBe(
      'It held before and fails now. Still stored: 1200 tokens. Tokens rose from 0 to 1,200; lag hours fell from 7 to 6.5. Newly affected: application x, application y.',
    );
    expect(sentenceOf(now, before)).toContain('It failed before and holds now. No token is stored past its expiry.');
    expect(sentenceOf(now, before)).toContain('No longer affected: application x, application y.');
  });

  it('names what is affected even if the number is the same, and no more than a few', () => {
    const many = Array.from({ length: 7 }, (_, index) => `n${index}`);
    const first = fact('a', { tokens: 7, affected: many.map((id) => `old-${id}`) });
    const second = fact('a', { tokens: 7, affected: many });
    expect(sentenceOf(first, second)).toContain('It still fails.');
    expect(sentenceOf(first, second)).toContain(
      'Newly affected: application n0, application n1, application n2, application n3, application n4 and 2 more.',
    );
  });

  it('names nothing as new if a list is cut short, and counts', () => {
    const first = fact('a', { tokens: 3, affected: ['x'], total: 3 });
    const second = fact('a', { tokens: 3, affected: ['y'], total: 4 });
    expect(sentenceOf(first, second)).toBe('It still fails. Still stored: 3 tokens. Affected rose from 3 to 4.');
  });

  it('takes a number that was not read in whole for none', () => {
    const whole = fact('a', { tokens: 9, affected: ['x', 'y'] });
    const part = fact('a', { tokens: 1, affected: ['x'], failures: 1 });
    expect(sentenceOf(whole, part)).toBe(
      'It still fails. Still stored: 1 tokens. Some of it could not be read. The earlier bundle said: Still stored: 9 tokens.',
    );
    expect(sentenceOf(whole, fact('a', { tokens: 1, failures: 1 }))).not.toMatch(/fell|No longer/);
  });

  it('says what a fact said that is not in the later bundle, and which number is new', () => {
    expect(compare([fact('a')], []).changes[0]?.sentence).toBe(
      'It held before and is not in the later bundle. The earlier bundle said: No token is stored past its expiry.',
    );
    const without: EvidenceFact = { ...fact('a', { hours: 2 }), figure: { lag_hours: 2 } };
    expect(sentenceOf(without, fact('a', { hours: 2 }))).toContain('Tokens: 0, not counted before.');
  });

  it('takes a number that looks the same for the same', () => {
    expect(compare([fact('a', { hours: 0.51 })], [fact('a', { hours: 0.52 })]).changes).toEqual([]);
  });
});

describe('bundles', () => {
  const tenant = '6f2d3c1e-0000-4000-8000-000000000001';
  it.each([
    ['of different vaults', bundle([]), bundle([], { public_key: 'other' }), 'different vaults'],
    ['of a tenant and of all', bundle([]), bundle([], { tenant_id: tenant }), `the later about tenant ${tenant}`],
    [
      'in the wrong order',
      bundle([], { finished_at: '2026-12-01T00:00:00.000Z' }),
      bundle([]),
      'Name the earlier one first',
    ],
  ])('%s cannot be compared', (_what, earlier, later, problem) => {
    expect(findIncomparable(earlier, later)).toContain(problem);
  });

  it('with periods of another length, versions or numbers of tenants are compared with a note', () => {
    const year = { from: '2025-10-31T00:00:00.000Z', to: '2026-10-31T00:00:00.000Z' };
    const later = bundle([], { period: year, version: '1.1.0', tenants: 3 });
    expect(findIncomparable(bundle([]), later)).toBeUndefined();
    expect(toComparisonNotes(bundle([]), later)).toEqual([
      expect.stringContaining('30 days and 365 days'),
      expect.stringContaining('Version 1.0.0 wrote the earlier bundle and 1.1.0 the later.'),
      'The earlier bundle is about 1 tenant, the later about 3.',
    ]);
    expect(toComparisonNotes(bundle([]), bundle([]))).toEqual([]);
  });
});
