import { expect, it } from 'vitest';
import type { Decision, Sight } from '../../../parts/access/words';
import { effectOf, isMore, sayChange } from './difference-words';

const pci = { container: '/pci/', isElsewhere: false };
const denied = (permission: string): Decision => ({ permission, is_allowed: false, reason: 'permission-not-granted' });
const sees = (permission: string, data: Sight, authors = false): Decision => ({
  permission,
  is_allowed: true,
  sees: { data },
  ...(authors ? { authors_views: true } : {}),
});

it.each([
  [
    sees('token:read', 'masked'),
    sees('token:read', 'plaintext'),
    'would see plaintext of tokens in /pci/ instead of masked data.',
  ],
  [
    denied('token:read'),
    sees('token:read', 'masked'),
    'would be able to read tokens in /pci/, and would see masked data.',
  ],
  [sees('token:read', 'masked'), denied('token:read'), 'could no longer read tokens in /pci/.'],
  [denied('token:delete'), sees('token:delete', 'nothing'), 'would be able to delete tokens in /pci/.'],
  [
    denied('token:update'),
    sees('token:update', 'masked', true),
    'would be able to update tokens in /pci/ and to set their masks, which amounts to reading plaintext.',
  ],
])('says what changes from %j to %j', (before, after, words) => {
  expect(sayChange('Support', pci, before, after)).toBe(`Support ${words}`);
});

it('names all containers, all others, and a token', () => {
  const [before, after] = [sees('token:read', 'masked'), denied('token:read')];
  const say = (place: Parameters<typeof sayChange>[1]) => sayChange('Support', place, before, after);
  expect(say({ container: '/', isElsewhere: false })).toContain('read all tokens.');
  expect(say({ container: '/', isElsewhere: true })).toContain('read tokens in all other containers.');
  expect(say({ token: 'abc' })).toContain('read token abc.');
});

it('tells more from less, and ignores what a deletion would see', () => {
  expect(isMore(sees('token:read', 'masked'), sees('token:read', 'plaintext'))).toBe(true);
  expect(isMore(sees('token:read', 'plaintext'), sees('token:read', 'nothing'))).toBe(false);
  expect(isMore(denied('token:read'), sees('token:read', 'nothing'))).toBe(true);
  expect(effectOf(sees('token:delete', 'masked'))).toBe(effectOf(sees('token:delete', 'plaintext')));
});
