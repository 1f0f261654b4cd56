import { Search } from 'lucide-react';
import { expect, it } from 'vitest';
import { type Choice, narrow } from './choices';

const choice = (label: string, words?: string): Choice => ({
  id: label,
  label,
  icon: Search,
  run: () => undefined,
  ...(words === undefined ? {} : { words }),
});
const groups = [
  { title: 'Pages', choices: [choice('Tokens'), choice('Audit log', 'records who saw')] },
  { title: 'Applications', choices: Array.from({ length: 20 }, (_, index) => choice(`Shop ${index}`)) },
];
const found = (text: string) => narrow(groups, text).map(({ title, choices }) => [title, choices.map(({ id }) => id)]);

it('finds by any words, in any order', () => {
  expect(found('SAW log')).toEqual([['Pages', ['Audit log']]]);
  expect(found('nothing')).toEqual([]);
});

it('shows a few of many, and those that begin with the text first', () => {
  expect(found('shop 1')[0]?.[1]).toEqual(['Shop 1', 'Shop 10', 'Shop 11', 'Shop 12', 'Shop 13', 'Shop 14']);
  expect(narrow(groups, '').map(({ choices }) => choices.length)).toEqual([2, 6]);
});
