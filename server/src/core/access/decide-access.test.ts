import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AccessCondition, type AccessRule, type Grants, transforms } from './access-rule.ts';
import { isCovered, parseContainer } from './container.ts';
import {
  decideAccess,
  decideAccessToEach,
  findCommonTransform,
  isGranted,
  requireAccess,
  requireAccessToEach,
  toRules,
} from './decide-access.ts';
import { type Permission, permissionsOf } from './permission.ts';

const rule = (over: Partial<AccessRule>): AccessRule => ({
  description: 'rule',
  priority: 1,
  container: '/',
  transform: 'mask',
  permissions: ['token:read'],
  ...over,
});
const only = (...rules: AccessRule[]): Grants => ({ rules });
const inside = (...containers: string[]) => ({ containers });

describe('decideAccess', () => {
  it('denies without any grant', () => {
    expect(decideAccess(only(), 'token:read', inside('/'))).toEqual({
      isAllowed: false,
      reason: 'permission-not-granted',
    });
  });

  it('denies another permission on the same container', () => {
    const decision = decideAccess(only(rule({})), 'token:delete', inside('/'));
    expect(decision).toEqual({ isAllowed: false, reason: 'permission-not-granted' });
  });

  it('denies a container that no granting rule covers', () => {
    const grants = only(rule({ container: '/pci/' }));
    for (const containers of [['/pii/'], ['/'], ['/pc/'], ['/pcix/'], []]) {
      const decision = decideAccess(grants, 'token:read', { containers });
      expect(decision).toEqual({ isAllowed: false, reason: 'no-rule-covers-target' });
    }
  });

  it('lets the first rule by priority decide the transform, and names it', () => {
    const narrow = rule({ priority: 1, container: '/pci/', transform: 'redact' });
    const wide = rule({ priority: 2, transform: 'reveal' });
    const grants = { rules: toRules([], [wide, narrow]) };
    expect(decideAccess(grants, 'token:read', inside('/pci/high/'))).toEqual({
      isAllowed: true,
      transform: 'redact',
      rule: narrow,
    });
    expect(decideAccess(grants, 'token:read', inside('/pii/'))).toEqual({
      isAllowed: true,
      transform: 'reveal',
      rule: wide,
    });
  });

  it('matches a token in several containers by any of them', () => {
    const grants = only(rule({ container: '/pci/', transform: 'reveal' }));
    expect(decideAccess(grants, 'token:read', inside('/pii/', '/pci/low/'))).toMatchObject({ transform: 'reveal' });
  });

  it('asks plain permissions last, masked, with token:use revealing', () => {
    const grants = { rules: toRules(['token:read', 'token:use'], [rule({ container: '/pci/', transform: 'redact' })]) };
    expect(decideAccess(grants, 'token:read', inside('/pci/'))).toMatchObject({ transform: 'redact' });
    expect(decideAccess(grants, 'token:read', inside('/x/'))).toMatchObject({ transform: 'mask' });
    expect(decideAccess(grants, 'token:use', inside('/x/'))).toMatchObject({ transform: 'reveal' });
  });
});

describe('conditions', () => {
  const under = (...conditions: AccessCondition[]) =>
    only({ description: '', priority: 1, conditions, transform: 'mask', permissions: ['token:read'] });
  const allows = (grants: Grants, id: string | undefined, ...containers: string[]) =>
    decideAccess(grants, 'token:read', id === undefined ? { containers } : { id, containers }).isAllowed;

  it('compare ids and containers, whole or from the start', () => {
    const id: AccessCondition = { attribute: 'id', operator: 'equals', value: 'order-1' };
    expect(allows(under(id), 'order-1', '/a/')).toBe(true);
    expect(allows(under(id), 'order-11', '/a/')).toBe(false);
    expect(allows(under({ ...id, operator: 'starts_with' }), 'order-11', '/a/')).toBe(true);
    expect(allows(under({ attribute: 'container', operator: 'equals', value: '/a/' }), 'x', '/b/', '/a/')).toBe(true);
    expect(allows(under({ attribute: 'container', operator: 'equals', value: '/a/' }), 'x', '/a/b/')).toBe(false);
    expect(allows(under({ attribute: 'container', operator: 'starts_with', value: '/a/' }), 'x', '/a/b/')).toBe(true);
  });

  it('must all be met, and are never met by an id that is not known', () => {
    const id: AccessCondition = { attribute: 'id', operator: 'starts_with', value: 'o' };
    const place: AccessCondition = { attribute: 'container', operator: 'equals', value: '/a/' };
    expect(allows(under(id, place), 'o-1', '/a/')).toBe(true);
    expect(allows(under(id, place), 'o-1', '/b/')).toBe(false);
    expect(allows(under(id, place), 'p-1', '/a/')).toBe(false);
    expect(allows(under(id), undefined, '/a/')).toBe(false);
  });

  it('give nothing when there are none and no container either', () => {
    expect(allows(under(), 'x', '/')).toBe(false);
  });
});

describe('a session', () => {
  it('needs its own grant and that of its authorizer, and sees the lesser', () => {
    const grants: Grants = {
      rules: [rule({ transform: 'reveal' })],
      limit: [rule({ container: '/pci/', transform: 'mask' })],
    };
    expect(decideAccess(grants, 'token:read', inside('/pci/'))).toMatchObject({ isAllowed: true, transform: 'mask' });
    expect(decideAccess(grants, 'token:read', inside('/pii/'))).toEqual({
      isAllowed: false,
      reason: 'authorizer-does-not-cover-target',
    });
    const other: Grants = { rules: [rule({ permissions: ['token:create'] })], limit: [rule({})] };
    expect(decideAccess(other, 'token:create', inside('/'))).toEqual({
      isAllowed: false,
      reason: 'authorizer-lacks-permission',
    });
    expect(isGranted(other, 'token:create')).toBe(false);
  });
});

const permissions = permissionsOf('private');
const paths = ['/', '/a/', '/a/b/', '/b/', '/ab/'];
const anyRules = fc
  .array(
    fc.record({
      container: fc.constantFrom(...paths),
      transform: fc.constantFrom(...transforms),
      permissions: fc.uniqueArray(fc.constantFrom(...permissions), { minLength: 1, maxLength: 3 }),
    }),
    { maxLength: 6 },
  )
  .map((rules) => rules.map((one, priority) => ({ ...one, description: '', priority })));
const anyTarget = fc.record({
  id: fc.constantFrom('x', 'y'),
  containers: fc.uniqueArray(fc.constantFrom(...paths), { minLength: 1, maxLength: 3 }),
});

describe('findCommonTransform', () => {
  const seen = new Set<string | undefined>();

  it('is what decideAccess says of every token, whenever it says anything', () => {
    fc.assert(
      fc.property(
        anyRules,
        fc.option(anyRules, { nil: undefined }),
        fc.constantFrom('token:read' as const, 'token:search' as const, 'token:delete' as const),
        fc.array(anyTarget, { minLength: 1, maxLength: 5 }),
        (rules, limit, permission, targets) => {
          const grants: Grants = { rules, ...(limit === undefined ? {} : { limit }) };
          const transform = findCommonTransform(grants, permission);
          seen.add(transform);
          if (transform === undefined) return;
          for (const target of targets)
            expect(decideAccess(grants, permission, target)).toMatchObject({ isAllowed: true, transform });
        },
      ),
      { numRuns: 3_000 },
    );
    expect(seen).toEqual(new Set([undefined, ...transforms]));
  });

  it('says nothing if a narrower rule comes first, or a condition has to be met', () => {
    const narrow = rule({ container: '/pci/' });
    const conditional = rule({ conditions: [{ attribute: 'id', operator: 'starts_with', value: '' }] });
    const { container: _, ...conditionOnly } = conditional;
    expect(findCommonTransform(only(narrow, rule({})), 'token:read')).toBeUndefined();
    expect(findCommonTransform(only(conditionOnly), 'token:read')).toBeUndefined();
    expect(findCommonTransform({ rules: [rule({})], limit: [] }, 'token:read')).toBeUndefined();
    expect(findCommonTransform({ rules: [rule({})], limit: [narrow] }, 'token:read')).toBeUndefined();
    expect(findCommonTransform(only(rule({})), 'token:read')).toBe('mask');
  });
});

const rankOf = (grants: Grants, permission: Permission, target: { id: string; containers: string[] }) => {
  const decision = decideAccess(grants, permission, target);
  return decision.isAllowed ? transforms.indexOf(decision.transform) + 1 : 0;
};

describe('for any rules', () => {
  it('a session has at most the rights of its authorizer, and of itself', () => {
    fc.assert(
      fc.property(
        anyRules,
        anyRules,
        fc.constantFrom(...permissions),
        anyTarget,
        (rules, limit, permission, target) => {
          const both = rankOf({ rules, limit }, permission, target);
          expect(both).toBeLessThanOrEqual(rankOf({ rules: limit }, permission, target));
          expect(both).toBeLessThanOrEqual(rankOf({ rules }, permission, target));
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('a redacting rule before all others never widens what was allowed', () => {
    fc.assert(
      fc.property(
        anyRules,
        fc.constantFrom(...paths),
        fc.constantFrom(...permissions),
        anyTarget,
        (rules, container, permission, target) => {
          const before = rankOf({ rules }, permission, target);
          fc.pre(before > 0);
          const first: AccessRule = { description: '', priority: -1, container, transform: 'redact', permissions };
          expect(rankOf({ rules: toRules([], [...rules, first]) }, permission, target)).toBeLessThanOrEqual(before);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

describe('decideAccessToEach', () => {
  it('names the first container that is not granted', () => {
    const grants = only(rule({ container: '/pci/', permissions: ['token:create'] }));
    expect(decideAccessToEach(grants, 'token:create', inside('/pci/', '/pii/'))).toEqual({
      isAllowed: false,
      container: '/pii/',
    });
  });

  it('applies the least transform of all containers', () => {
    const containers = fc.array(fc.constantFrom(...transforms), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(containers, (chosen) => {
        const rules = chosen.map((transform, index) =>
          rule({ container: `/c${index}/`, transform, permissions: ['token:create'] }),
        );
        const decision = decideAccessToEach({ rules }, 'token:create', {
          containers: chosen.map((_, index) => `/c${index}/`),
        });
        const least = transforms.find((transform) => chosen.includes(transform));
        expect(decision).toEqual({ isAllowed: true, transform: least });
      }),
    );
  });
});

describe('requireAccess', () => {
  it('names permission and container when it refuses', () => {
    expect(() => requireAccess(only(), 'token:read', inside('/pci/'))).toThrow(
      'Missing permission: token:read on container /pci/',
    );
    expect(() => requireAccessToEach(only(), 'token:create', inside('/a/', '/b/'))).toThrow(
      'Missing permission: token:create on container /a/',
    );
  });
});

describe('parseContainer', () => {
  it.each([
    ['/', '/'],
    ['/pci/high/', '/pci/high/'],
    ['/PCI/High/', '/pci/high/'],
    ['/a-b/c_d/0/', '/a-b/c_d/0/'],
  ])('reads %s', (text, path) => {
    expect(parseContainer(text)).toBe(path);
  });

  it.each([
    '',
    'pci',
    '/pci',
    'pci/',
    '//',
    '/a//b/',
    '/a b/',
    '/../',
    '/a/*/',
    '/ä/',
    `/${'a'.repeat(400)}/`,
    '/a/\n',
  ])('refuses %j', (text) => {
    expect(parseContainer(text)).toBeUndefined();
  });

  it('covers its subtree and nothing else', () => {
    expect(isCovered('/pci/high/', '/pci/')).toBe(true);
    expect(isCovered('/pci/', '/')).toBe(true);
    expect(isCovered('/pci/', '/pci/high/')).toBe(false);
    expect(isCovered('/pcihigh/', '/pci/')).toBe(false);
  });
});
