import { describe, expect, it } from 'vitest';
import { type LifeLimit, limitExpiry } from './life-limit.ts';

const now = new Date('2026-03-01T00:00:00Z');
const limit = (days: number, of: Partial<LifeLimit> = {}): LifeLimit => ({
  container: null,
  type: null,
  effectiveAt: now,
  days,
  ...of,
});
const card = { type: 'card', containers: ['/pci/high/'], createdAt: now };
const endOf = (text: string, limits: readonly LifeLimit[], token = card) =>
  limitExpiry({ instant: new Date(text), offsetMinutes: 60 }, token, { limits, now })?.instant.toISOString();

describe('the expiry that a token gets', () => {
  it('is the earliest of what its caller wants and what the rules allow', () => {
    expect(endOf('2026-03-05T00:00:00Z', [limit(10), limit(20)])).toBe('2026-03-05T00:00:00.000Z');
    expect(endOf('2030-01-01T00:00:00Z', [limit(10), limit(20)])).toBe('2026-03-11T00:00:00.000Z');
    expect(endOf('2030-01-01T00:00:00Z', [])).toBe('2030-01-01T00:00:00.000Z');
  });

  it('counts from the creation, not from the change', () => {
    const old = { ...card, createdAt: new Date('2026-02-01T00:00:00Z') };
    expect(endOf('2030-01-01T00:00:00Z', [limit(30)], old)).toBe('2026-03-03T00:00:00.000Z');
  });

  it.each([
    ['another type', limit(1, { type: 'bank' })],
    ['another container', limit(1, { container: '/pci/low/' })],
    ['a container whose path only begins the same', limit(1, { container: '/pci/hi/' })],
    ['later', limit(1, { effectiveAt: new Date(now.getTime() + 1) })],
  ])('is not touched by a rule for %s', (_about, other) => {
    expect(endOf('2030-01-01T00:00:00Z', [other])).toBe('2030-01-01T00:00:00.000Z');
  });

  it('is limited by a rule for a container above its own, and keeps its offset', () => {
    const limited = limitExpiry({ instant: new Date('2030-01-01T00:00:00Z'), offsetMinutes: 60 }, card, {
      limits: [limit(1, { container: '/pci/', type: 'card' })],
      now,
    });
    expect(limited).toEqual({ instant: new Date('2026-03-02T00:00:00Z'), offsetMinutes: 60 });
  });

  it('stays absent, so that the sweep can judge the age of the token again', () => {
    expect(limitExpiry(null, card, { limits: [limit(1)], now })).toBeNull();
  });
});
