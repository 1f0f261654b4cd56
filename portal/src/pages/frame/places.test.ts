import { expect, it } from 'vitest';
import { allPlaces } from './places';

it('has a shortcut key for each page, and none twice', () => {
  const keys = allPlaces.map(({ key }) => key);
  expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([]);
  // The key `g` begins every shortcut.
  expect(keys.filter((key) => !/^[a-fh-z]$/.test(key))).toEqual([]);
});
