import { describe, expect, it } from 'vitest';
import { toChangeDetails } from './change-details.ts';

describe('toChangeDetails', () => {
  it('has the digest of what it is now, and the lines', () => {
    expect(toChangeDetails(['role: ADMIN'], 'ADMIN')).toEqual({
      changes: ['role: ADMIN'],
      digest: 'g11tyItwi8ZG1tuCyFPvQYL6u9So3lnCE_K1qzrn2b4',
    });
    expect(toChangeDetails([], 'ADMIN')).not.toHaveProperty('changes');
  });

  it('stays below 4 KB and says how much it leaves out', () => {
    const lines = Array.from({ length: 1_000 }, (_, index) => `rule added: ${index} ${'ä"'.repeat(index)}`);
    const details = toChangeDetails(lines, 'x');
    expect(Buffer.byteLength(JSON.stringify(details))).toBeLessThan(4_096);
    const shown = (details.changes?.length ?? 0) - 1;
    expect(shown).toBeGreaterThan(10);
    expect(details.changes?.at(-1)).toBe(`and ${1_000 - shown} more`);
  });
});
