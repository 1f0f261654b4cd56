import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { allFacts, factGroups } from '../../src/app/evidence/facts/fact-groups.ts';
import type { ScopeRow } from '../../src/core/evidence/scope-row.ts';
import { scopeRows } from '../../src/core/evidence/scope-rows.ts';
import { repository } from './documentation.ts';
import { toCode, toTable } from './reference/markdown.ts';

// The rows of docs/pci-scope.md and the facts of an evidence bundle are the same list.

const file = path.join(repository, 'docs/pci-scope.md');
const begin = '<!-- requirements -->\n\n';
const end = '\n\n<!-- end of requirements -->';

function toFactCell(row: ScopeRow): string {
  const facts = allFacts.filter((fact) => fact.row === row.id).map(({ id }) => toCode(id));
  return facts.length > 0 ? facts.join(', ') : `none: ${row.withoutFacts ?? ''}`;
}

const table = toTable(
  ['Requirement', 'What the vault does', 'What remains yours', 'Facts of the bundle'],
  scopeRows.map((row: ScopeRow) => [`${row.requirements}, ${row.topic}`, row.vault, row.yours, toFactCell(row)]),
);

describe('docs/pci-scope.md', () => {
  it('has the rows and the facts of an evidence bundle', async () => {
    const page = await readFile(file, 'utf8');
    const [before = '', rest = ''] = page.split(begin);
    const [written = '', after = ''] = rest.split(end);
    if (process.env['REFERENCE'] === 'write') await writeFile(file, `${before}${begin}${table}${end}${after}`);
    else expect(written === table, 'The table is not what the code says. Run `npm run docs:reference`.').toBe(true);
  });

  it('names the numbers that were not compared with the standard', async () => {
    const page = await readFile(file, 'utf8');
    const unchecked = scopeRows.flatMap((row: ScopeRow) => row.unchecked ?? []);
    expect(page.replaceAll(/\s+/g, ' ')).toContain(`all but ${unchecked.join(', ')}`);
  });
});

describe('the facts of a bundle', () => {
  it('have different ids', () => {
    const ids = allFacts.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeGreaterThan(35);
  });

  it('are there for each row, or the row says why not', () => {
    const rows = scopeRows.map((row: ScopeRow) => ({
      id: row.id,
      hasFacts: allFacts.some((fact) => fact.row === row.id),
      isExplained: row.withoutFacts !== undefined,
    }));
    expect(rows.filter(({ hasFacts, isExplained }) => hasFacts === isExplained)).toEqual([]);
  });

  it('say what to do if they have another verdict', () => {
    const incomplete = allFacts.filter(
      ({ weight, found, remedy }) => (weight !== undefined) !== (found !== undefined && remedy !== undefined),
    );
    expect(incomplete.map(({ id }) => id)).toEqual([]);
    expect(factGroups.every(({ readTenant, readVault }) => readTenant !== undefined || readVault !== undefined)).toBe(
      true,
    );
  });
});
