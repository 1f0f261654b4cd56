import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { applicationTypes, permissionCatalog } from '../../src/core/access/permission.ts';
import { findTokenType, tokenTypeNames } from '../../src/core/token-types/token-type-catalog.ts';
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
});
