import { expect, it } from 'vitest';
import type { AccessRule } from '../access/access-rule.ts';
import type { Rights } from './rights-difference.ts';
import { listWideningChanges } from './widening-changes.ts';

const rule = (over: Partial<AccessRule> = {}): AccessRule => ({
  description: '',
  priority: 1,
  container: '/pci/',
  transform: 'reveal',
  permissions: ['token:read'],
  ...over,
});
const rights = (over: Partial<Rights> = {}): Rights => ({ type: 'private', permissions: [], rules: [], ...over });
const limit = { permissions: ['token:read'], containers: ['/'], transform: 'reveal' } as const;

it('lists what can widen plaintext, the widest first, whatever the priorities are', () => {
  const before = rights({
    rules: [rule({ transform: 'mask' }), rule({ container: '/old/', priority: 2 })],
    allowedDestinations: ['a.example'],
  });
  const all = ['token:read', 'token:search', 'token:update', 'token:use'] as const;
  const after = rights({
    permissions: ['token:create', 'token:read', 'token:use'],
    rules: [
      rule({ container: '/nowhere/', transform: 'redact' }),
      rule({ container: '/a/', priority: 2 }),
      rule({ container: '/', priority: 900, permissions: all }),
    ],
    allowedDestinations: ['a.example', 'b.example'],
  });
  expect(listWideningChanges(before, after)).toEqual([
    'permission added: token:use',
    'rule added: / reveal token:read, token:search, token:update, token:use (priority 900)',
    'rule added: /a/ reveal token:read (priority 2)',
    'destination added: b.example',
    'rule removed: /pci/ mask token:read (priority 1)',
  ]);
});

it.each<[string, Rights | undefined, Rights | undefined, string[]]>([
  ['an end of everything', rights({ rules: [rule()] }), undefined, []],
  ['a first list of destinations', rights(), rights({ allowedDestinations: ['a.example'] }), []],
  [
    'destinations without a list',
    rights({ allowedDestinations: [] }),
    rights(),
    ['limit of destinations removed: to a list'],
  ],
  ['a first grant limit', rights(), rights({ grantLimit: limit }), []],
  ['no grant limit', rights({ grantLimit: limit }), rights(), ['grant limit removed: / reveal token:read']],
  ['an earlier expiry', rights({ expiresAt: new Date(1_000) }), rights({ expiresAt: new Date(0) }), []],
  ['no expiry', rights({ expiresAt: new Date(0) }), rights(), ['expiry removed: 1970-01-01T00:00:00.000Z']],
])('judges %s', (_name, before, after, lines) => {
  expect(listWideningChanges(before, after)).toEqual(lines);
});
