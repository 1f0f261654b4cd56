import { describe, expect, it } from 'vitest';
import type { AccessRule, Transform } from './access-rule.ts';
import { isFingerprintShown } from '../sight/fingerprint-visibility.ts';
import { canGuessMasked } from './guessing.ts';
import type { Permission } from './permission.ts';

const rule = (priority: number, container: string, transform: Transform, ...permissions: Permission[]): AccessRule => ({
  description: '',
  priority,
  container,
  transform,
  permissions,
});

describe('canGuessMasked', () => {
  it.each<[string, boolean, Permission[], AccessRule[]]>([
    ['creates and reads masked', true, ['token:create', 'token:read'], []],
    ['creates and searches masked', true, ['token:create', 'token:search'], []],
    ['updates and reads masked', true, ['token:update', 'token:read'], []],
    [
      'creates here and reads masked there',
      true,
      [],
      [rule(1, '/a/', 'mask', 'token:create'), rule(2, '/b/', 'mask', 'token:read')],
    ],
    ['creates redacted and reads masked', true, ['token:read'], [rule(1, '/', 'redact', 'token:create')]],
    [
      'reveals a part and masks the rest',
      true,
      ['token:create', 'token:read'],
      [rule(1, '/a/', 'reveal', 'token:read')],
    ],
    ['reads only', false, ['token:read', 'token:search', 'token:use'], []],
    ['creates only', false, ['token:create', 'token:update', 'token:delete'], []],
    ['reads everything revealed', false, ['token:create', 'token:read'], [rule(1, '/', 'reveal', 'token:read')]],
    ['reads everything redacted', false, ['token:create', 'token:read'], [rule(1, '/', 'redact', 'token:read')]],
    ['has nothing', false, [], []],
  ])('an application that %s: %s', (_name, expected, permissions, rules) => {
    expect(canGuessMasked({ permissions, rules })).toBe(expected);
  });
});

describe('isFingerprintShown', () => {
  const session = { isAuthorized: true };
  it.each([
    ['private', undefined, 'mask', [false, true, true]],
    ['private', undefined, 'reveal', [false, false, true]],
    ['private', session, 'mask', [false, false, false]],
    ['public', undefined, 'mask', [false, false, false]],
    ['public', session, 'mask', [false, false, false]],
    ['management', undefined, 'mask', [false, false, false]],
  ] as const)(
    'to a %s key, session %o, visibility %s: redact, mask, reveal as %o',
    (applicationType, own, visibility, shown) => {
      const viewer = { applicationType, ...(own === undefined ? {} : { session: own }) };
      const views = (['redact', 'mask', 'reveal'] as const).map((view) => isFingerprintShown(viewer, visibility, view));
      expect(views).toStrictEqual([...shown]);
    },
  );
});
