import { describe, expect, it } from 'vitest';
import type { AuditRecord } from '../../core/audit/record-text.ts';
import { asRecord } from './audit-record.ts';
import { DroppedMonths } from './dropped-months.ts';

const tree = { tenantId: 'a tenant' };
const removalOf = (month: string): AuditRecord =>
  asRecord({
    entity_type: 'log',
    entity_id: month,
    operation: 'delete',
    outcome: 'success',
    actor_type: 'system',
    // Whoever writes the record chooses it.
    created_at: Date.UTC(2020, 0, 1),
    details: null,
  });

function findUnexplained(dropped: string, removal: { of: string; sealedAt: string }): string | undefined {
  const months = new DroppedMonths(tree, Buffer.alloc(32));
  const checkpoint = { ...tree, treeSize: 1, orderTo: '1', root: Buffer.alloc(32), keyVersion: 1 };
  const signed = { ...checkpoint, signature: Buffer.alloc(64), sealedAt: new Date(removal.sealedAt) };
  months.see({ ...signed, number: 1, month: `${dropped}-01` }, true);
  months.see({ ...signed, number: 2, month: '2026-12-01' }, false);
  months.hear([removalOf(removal.of)], { sealedAt: new Date(removal.sealedAt) });
  return months.findUnexplained();
}

describe('the removal of a month that is not signed', () => {
  it('is believed if a version that did not sign can have made it', () => {
    expect(findUnexplained('2026-07', { of: '2026-07', sealedAt: '2026-12-01T00:00:00Z' })).toBeUndefined();
    expect(findUnexplained('2026-06', { of: '2026-07', sealedAt: '2027-01-31T23:59:59Z' })).toBeUndefined();
  });

  it('is not believed if its checkpoint was sealed when every version signs', () => {
    expect(findUnexplained('2026-07', { of: '2026-07', sealedAt: '2027-02-01T00:00:00Z' })).toBe('2026-07-01');
  });

  it('is not believed if its checkpoint was sealed before retention could drop the month', () => {
    expect(findUnexplained('2026-07', { of: '2026-07', sealedAt: '2026-11-30T23:59:59Z' })).toBe('2026-07-01');
  });

  it('is not believed about a later month, or about none', () => {
    expect(findUnexplained('2026-07', { of: '2026-06', sealedAt: '2026-12-01T00:00:00Z' })).toBe('2026-07-01');
    expect(findUnexplained('2026-07', { of: 'May 1 2000 (', sealedAt: '2026-12-01T00:00:00Z' })).toBe('2026-07-01');
    expect(findUnexplained('2026-07', { of: 'nothing', sealedAt: '2026-12-01T00:00:00Z' })).toBe('2026-07-01');
  });
});
