import { expect, it } from 'vitest';
import { mergePages } from './merge-pages.ts';

const toItems = (ids: string) => [...ids].map((id) => ({ id }));
const merge = (...pages: string[]) => {
  const { page, parts } = mergePages(pages.map(toItems), [...'abcdefgh']);
  const toText = (items: { id: string }[]) => items.map(({ id }) => id).join('');
  return { page: toText(page), parts: parts.map(toText) };
};

it('puts pages together in the given order', () => {
  expect(merge('ace', 'bde')).toEqual({ page: 'abcdee', parts: ['ace', 'bde'] });
});

it('ends where the first of them ends', () => {
  expect(merge('ab', 'cdef', 'agh')).toEqual({ page: 'aab', parts: ['ab', '', 'a'] });
});

it('does not wait for one that has nothing more', () => {
  expect(merge('', 'cd', '')).toEqual({ page: 'cd', parts: ['', 'cd', ''] });
  expect(merge('', '')).toEqual({ page: '', parts: ['', ''] });
});
