import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { applicationTypes, permissionCatalog } from '../../src/core/access/permission.ts';
import { findTokenType, tokenTypeNames } from '../../src/core/token-types/token-type-catalog.ts';
import type { TokenType } from '../../src/core/token-types/token-type.ts';
import { rowsIn, sectionOf } from './documentation.ts';

// The lists in docs/concepts agree with the code.

const folder = new URL('../../../docs/concepts/', import.meta.url);
const readPage = (name: string) => readFileSync(new URL(name, folder), 'utf8');

/** Returns the cells of table rows in a section, without code marks. */
function rowsOf(page: string, heading: string): string[][] {
  return rowsIn(sectionOf(page, heading))
    .filter(([first = '']) => first.startsWith('`'))
    .map((cells) => cells.map((cell) => cell.replaceAll('`', '')));
}

describe('the pages about concepts', () => {
  it.each(readdirSync(folder).filter((name) => name.endsWith('.md')))('%s has exactly one picture', (name) => {
    const pictures = [...readPage(name).matchAll(/!\[[^\]]+\]\((?<path>[^)]+)\)/g)].map(
      (match) => match.groups?.['path'],
    );
    const path = `../images/concepts/${name.replace('.md', '.svg')}`;
    expect(pictures).toEqual([path]);
    expect(existsSync(new URL(path, folder))).toBe(true);
  });

  it('list every permission with the types of application that can have it', () => {
    const listed = rowsOf(readPage('containers-and-rules.md'), 'Every permission').map(([name, , ...types]) => [
      name,
      types,
    ]);
    const actual = permissionCatalog.map(({ type, applicationTypes: own }) => [
      type,
      applicationTypes.map((one) => (own.some((other) => other === one) ? 'yes' : '–')),
    ]);
    expect(listed).toEqual(actual);
  });

  it('list every token type with its default container', () => {
    const listed = rowsOf(readPage('tokens.md'), 'Types').map((cells) => [cells[0], cells.at(-1)] as const);
    const actual = tokenTypeNames.map((type) => [type, findTokenType(type)?.defaultContainers.join()] as const);
    expect(new Map(listed)).toEqual(new Map(actual));
  });

  it('list every token type whose mask is not that of all others', () => {
    const actual = typesWith(({ defaultMask }) => defaultMask !== '{{ data | reveal_last: 4 }}');
    expect([...typeRowsOf('tokens.md', 'Masks by default').keys()]).toEqual(actual);
  });

  it('list every token type with search indexes', () => {
    const actual = typesWith(({ defaultSearchIndexes: indexes }) => indexes.length > 0);
    expect([...typeRowsOf('tokens.md', 'How search works').keys()]).toEqual(actual);
  });

  it('list every token type with the fingerprint expression that it has instead of that of all others', () => {
    const rows = typeRowsOf('fingerprints.md', 'How it is made');
    expect([...rows.keys()]).toEqual(typesWith(({ defaultFingerprintExpression: own }) => own !== '{{ data }}'));
    for (const [type, text] of rows)
      expect(text.startsWith(`\`${expressionOf(type)}\``), `${type}: ${text}`).toBe(true);
  });
});

const expressionOf = (type: string) => findTokenType(type)?.defaultFingerprintExpression ?? '';

/** Returns the names of the token types that fit, in the order of the catalog. */
function typesWith(fits: (type: TokenType) => boolean): string[] {
  return tokenTypeNames.filter((name) => {
    const type = findTokenType(name);
    return type !== undefined && fits(type);
  });
}

/** Returns what a table says about each of the token types that it names, in the order of the catalog. */
function typeRowsOf(name: string, heading: string): ReadonlyMap<string, string> {
  const rows = rowsIn(sectionOf(readPage(name), heading)).flatMap(([first = '', text = '']) =>
    first.split(', ').map((type) => [type.replaceAll('`', ''), text] as const),
  );
  const found = new Map(rows);
  return new Map(tokenTypeNames.flatMap((type) => (found.has(type) ? [[type, found.get(type) ?? '']] : [])));
}
