import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AccessRule, isMoreThan, transforms } from './access-rule.ts';
import { decideAccess, toRules } from './decide-access.ts';
import { findExcess, type GrantLimit, type HeldRights } from './grant-limit.ts';
import { type Permission, permissionsOf } from './permission.ts';

const limit: GrantLimit = {
  permissions: ['token:create', 'token:read', 'token:update', 'token:use', 'application:create', 'log:read'],
  containers: ['/pci/', '/bank/low/'],
  transform: 'mask',
};
const rule = (changes: Partial<AccessRule> = {}): AccessRule => ({
  description: '',
  priority: 1,
  container: '/pci/high/',
  transform: 'mask',
  permissions: ['token:read'],
  ...changes,
});
const held = (changes: Partial<HeldRights> = {}): HeldRights => ({
  type: 'private',
  permissions: [],
  rules: [],
  grantLimit: null,
  ...changes,
});
const everywhere = { ...limit, containers: ['/'] };

describe('rights within a limit', () => {
  it.each<[string, GrantLimit, HeldRights]>([
    ['nothing at all', limit, held()],
    ['a rule below a container of the limit', limit, held({ rules: [rule()] })],
    ['a rule on a container of the limit', limit, held({ rules: [rule({ container: '/bank/low/' })] })],
    ['plain permissions, if the limit has the root', everywhere, held({ permissions: ['token:create', 'token:read'] })],
    ['plain token:update of a public application', everywhere, held({ type: 'public', permissions: ['token:update'] })],
    ['a management permission, which has no container', limit, held({ type: 'management', permissions: ['log:read'] })],
    [
      'the right to hand out as much',
      limit,
      held({ type: 'management', permissions: ['application:create'], grantLimit: limit }),
    ],
  ])('%s', (_name, cap, rights) => {
    expect(findExcess(cap, rights)).toBeUndefined();
  });
});

describe('rights beyond a limit', () => {
  it.each<[string, HeldRights, string]>([
    ['a plain permission', held({ permissions: ['token:delete'] }), 'permission token:delete'],
    ['a permission in a rule', held({ rules: [rule({ permissions: ['token:search'] })] }), 'permission token:search'],
    ['plain permissions without the root', held({ permissions: ['token:read'] }), 'container / for token:read'],
    ['a container above', held({ rules: [rule({ container: '/' })] }), 'container / for token:read'],
    ['a container beside', held({ rules: [rule({ container: '/bank/' })] }), 'container /bank/ for token:read'],
    ['a rule without a container', held({ rules: [ruleOnIds()] }), 'a rule for token:read without a container'],
    ['a transform above', held({ rules: [rule({ transform: 'reveal' })] }), 'transform reveal for token:read'],
    [
      'token:use, whatever the rule shows',
      held({ rules: [rule({ permissions: ['token:use'] })] }),
      'transform reveal for token:use',
    ],
    [
      'one rule of many',
      held({ rules: [rule(), rule({ priority: 2, container: '/pii/' })] }),
      'container /pii/ for token:read',
    ],
  ])('%s', (_name, rights, excess) => {
    expect(findExcess(limit, rights)).toBe(excess);
  });

  it('plain token:update of a private application, which is access to plaintext', () => {
    expect(findExcess(everywhere, held({ permissions: ['token:update'] }))).toBe('transform reveal for token:update');
  });

  it.each<[string, GrantLimit | null, string]>([
    ['none', null, 'an application that can grant permissions but has no grant_limit'],
    [
      'more permissions',
      { ...limit, permissions: [...limit.permissions, 'token:delete'] },
      'permission token:delete in grant_limit',
    ],
    ['more containers', { ...limit, containers: ['/pci/', '/pii/'] }, 'container /pii/ in grant_limit'],
    ['a transform above', { ...limit, transform: 'reveal' }, 'transform reveal in grant_limit'],
  ])('the right to hand out with a limit of its own: %s', (_name, grantLimit, excess) => {
    const manager = held({ type: 'management', permissions: ['application:create'], grantLimit });
    expect(findExcess(limit, manager)).toBe(excess);
  });
});

it('nobody within a limit is allowed anything beyond it', () => {
  const paths = ['/', '/a/', '/a/b/', '/ab/', '/b/', '/b/c/'];
  const tokenPermissions = permissionsOf('private');
  const somePermissions = fc.subarray<Permission>(tokenPermissions);
  const someRule = fc.record({
    description: fc.constant(''),
    priority: fc.nat(100),
    container: fc.constantFrom(...paths),
    transform: fc.constantFrom(...transforms),
    permissions: somePermissions,
  });
  const someLimit = fc.record({
    permissions: somePermissions,
    containers: fc.subarray(paths, { minLength: 1 }),
    transform: fc.constantFrom(...transforms),
  });
  let judged = 0;
  fc.assert(
    fc.property(
      someLimit,
      fc.subarray<Permission>(tokenPermissions, { maxLength: 2 }),
      fc.array(someRule, { maxLength: 2 }),
      fc.subarray(paths, { minLength: 1 }),
      (cap, permissions, rules, containers) => {
        if (findExcess(cap, held({ permissions, rules })) !== undefined) return;
        judged += 1;
        for (const permission of tokenPermissions) {
          const decision = decideAccess({ rules: toRules(permissions, rules) }, permission, { containers });
          if (!decision.isAllowed) continue;
          expect(cap.permissions).toContain(permission);
          expect(isMoreThan(decision.transform, cap.transform)).toBe(false);
          expect(containers.some((path) => cap.containers.some((covering) => path.startsWith(covering)))).toBe(true);
        }
      },
    ),
    { numRuns: 5_000 },
  );
  expect(judged).toBeGreaterThan(200);
});

function ruleOnIds(): AccessRule {
  const { container: _container, ...rest } = rule();
  return { ...rest, conditions: [{ attribute: 'id', operator: 'starts_with', value: 'a' }] };
}
