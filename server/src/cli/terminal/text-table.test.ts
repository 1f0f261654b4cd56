import { describe, expect, it } from 'vitest';
import { toTable } from './text-table.ts';

describe('toTable', () => {
  it('puts columns side by side', () => {
    expect(toTable(['A', 'LONG'], [['xyz', '1']])).toBe('A    LONG\nxyz  1');
  });

  it('has a line for each row, whatever a name holds', () => {
    const table = toTable(['NAME', 'SEES'], [['x\nnobody  nothing\u001b[1A', 'plaintext']]);
    expect(table.split('\n')).toEqual(['NAME                   SEES', 'x?nobody  nothing?[1A  plaintext']);
  });

  it('holds as many rows as a report may have', () => {
    const rows = Array.from({ length: 300_000 }, (_, number) => [String(number)]);
    expect(toTable(['NUMBER'], rows)).toHaveLength(
      'NUMBER'.length + rows.reduce((sum, [cell = '']) => sum + cell.length + 1, 0),
    );
  });
});
