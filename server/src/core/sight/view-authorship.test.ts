import { describe, expect, it } from 'vitest';
import type { AccessRule, Transform } from '../access/access-rule.ts';
import { toRules } from '../access/decide-access.ts';
import type { ApplicationType, Permission } from '../access/permission.ts';
import { mayAuthorViews, requireNoGain, requireViewAuthor } from './view-authorship.ts';

const rule = (priority: number, transform: Transform, ...permissions: Permission[]): AccessRule => ({
  description: '',
  priority,
  container: '/',
  transform,
  permissions,
});
const author = (applicationType: ApplicationType, permissions: readonly Permission[], ...rules: AccessRule[]) => ({
  applicationType,
  grants: { rules: toRules(permissions, rules) },
});
const token = { id: 'secret-id', containers: ['/pci/'] };

describe('mayAuthorViews', () => {
  it.each<[string, boolean, Parameters<typeof mayAuthorViews>[0]]>([
    ['a plain permission of a private application', true, author('private', ['token:update'])],
    ['a plain permission of a public application', false, author('public', ['token:update'])],
    ['a rule that reveals to update', true, author('public', [], rule(1, 'reveal', 'token:update'))],
    [
      'a rule that reveals to read',
      true,
      author('private', [], rule(1, 'mask', 'token:update'), rule(2, 'reveal', 'token:read')),
    ],
    [
      'a rule that reveals to read without the right to update',
      false,
      author('private', [], rule(1, 'reveal', 'token:read')),
    ],
    ['a rule that reveals to search', false, author('private', ['token:search'], rule(1, 'mask', 'token:update'))],
    ['plaintext for use', false, author('private', ['token:use'], rule(1, 'mask', 'token:update'))],
    [
      'a masking rule before the plain permission',
      false,
      author('private', ['token:update'], rule(1, 'mask', 'token:update')),
    ],
    [
      'a revealing rule within a limit that masks',
      false,
      {
        applicationType: 'public',
        session: { isAuthorized: true },
        grants: { rules: [rule(1, 'reveal', 'token:update')], limit: toRules(['token:update'], []) },
      },
    ],
    [
      'a plain permission in the session of a private application',
      false,
      { ...author('private', ['token:update']), session: { isAuthorized: true } },
    ],
  ])('by %s: %s', (_name, isAuthor, caller) => {
    expect(mayAuthorViews(caller, token)).toBe(isAuthor);
    if (isAuthor) expect(() => requireViewAuthor(caller, token)).not.toThrow();
    else expect(() => requireViewAuthor(caller, token)).toThrow(/transform reveal on container \/pci\//);
  });

  it('never names the token', () => {
    expect(() => requireViewAuthor(author('public', []), token)).not.toThrow(/secret-id/);
  });
});

describe('requireNoGain', () => {
  const narrow = author(
    'private',
    [],
    { ...rule(1, 'mask', 'token:update'), container: '/pci/' },
    rule(2, 'reveal', 'token:update'),
  );

  it('refuses a move to where more is seen', () => {
    expect(() => requireNoGain(narrow, token, { containers: ['/open/'] })).toThrow(/sees more of it/);
  });

  it('allows a move to where as much or less is seen', () => {
    expect(() => requireNoGain(narrow, { containers: ['/open/'] }, token)).not.toThrow();
    expect(() => requireNoGain(narrow, token, { containers: ['/pci/high/'] })).not.toThrow();
  });
});
