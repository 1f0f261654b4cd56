import { expect, it } from 'vitest';
import { pickSearch, readSearch, writeSearch } from './search-text';

it('writes and reads plain pairs, whatever characters they contain', () => {
  const search = { query: 'metadata.customer:"c 1" & type:card', container: '/pci/ümläut/', empty: '' };
  expect(readSearch(writeSearch(search))).toEqual({ query: search.query, container: search.container });
  expect(writeSearch({ page: 2, missing: undefined })).toBe('');
});

it('picks only known names with text', () => {
  expect(pickSearch({ type: 'card', page: 2, query: '', other: 'x' }, ['type', 'page', 'query'])).toEqual({
    type: 'card',
  });
});
