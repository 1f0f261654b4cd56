import { expect, it } from 'vitest';
import { groupOf, shortenPermissions, toReason } from './words';

it('groups permissions by what they are about', () => {
  expect(['token:read', 'tenant:member:read', 'tenant:read', 'log:read'].map(groupOf)).toEqual([
    'Tokens',
    'Members',
    'Tenant',
    'Reports and log',
  ]);
});

it('shortens permissions by their noun', () => {
  expect(shortenPermissions(['token:read', 'token:create', 'tenant:member:read'])).toBe(
    'token: read, create · tenant:member: read',
  );
});

it('says why something is denied, and shows a reason that it does not know as it is', () => {
  expect(toReason('use-needs-reveal')).toContain('does not reveal');
  expect(toReason('something-new')).toBe('something-new');
});
