import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AccessRule, transforms } from './access-rule.ts';
import { isCovered, parseContainer } from './container.ts';
import { decideAccess, decideAccessToEach, toGrants } from './decide-access.ts';
import { requireAccess, requireAccessToEach } from './require-access.ts';

const rule = (over: Partial<AccessRule>): AccessRule => ({
  description: 'rule',
  priority: 1,
  container: '/',
  transform: 'mask',
  permissions: ['token:read'],
  ...over,
});

describe('decideAccess', () => {
  it('denies without any grant', () => {
    expect(decideAccess([], 'token:read', ['/'])).toEqual({ isAllowed: false, reason: 'permission-not-granted' });
  });

  it('denies another permission on the same container', () => {
    expect(decideAccess([rule({})], 'token:delete', ['/'])).toEqual({
      isAllowed: false,
      reason: 'permission-not-granted',
    });
  });

  it('denies a container that no granting rule covers', () => {
    const grants = [rule({ container: '/pci/' })];
    for (const containers of [['/pii/'], ['/'], ['/pc/'], ['/pcix/'], []]) {
      expect(decideAccess(grants, 'token:read', containers)).toEqual({
        isAllowed: false,
        reason: 'container-not-covered',
      });
    }
  });

  it('lets the first rule by priority decide the transform', () => {
    const grants = toGrants(
      [],
      [rule({ priority: 2, transform: 'reveal' }), rule({ priority: 1, container: '/pci/', transform: 'redact' })],
    );
    expect(decideAccess(grants, 'token:read', ['/pci/high/'])).toEqual({ isAllowed: true, transform: 'redact' });
    expect(decideAccess(grants, 'token:read', ['/pii/'])).toEqual({ isAllowed: true, transform: 'reveal' });
  });

  it('matches a token in several containers by any of them', () => {
    const grants = [rule({ container: '/pci/', transform: 'reveal' })];
    expect(decideAccess(grants, 'token:read', ['/pii/', '/pci/low/'])).toEqual({
      isAllowed: true,
      transform: 'reveal',
    });
  });

  it('asks plain permissions last, masked, with token:use revealing', () => {
    const grants = toGrants(['token:read', 'token:use'], [rule({ container: '/pci/', transform: 'redact' })]);
    expect(decideAccess(grants, 'token:read', ['/pci/'])).toEqual({ isAllowed: true, transform: 'redact' });
    expect(decideAccess(grants, 'token:read', ['/x/'])).toEqual({ isAllowed: true, transform: 'mask' });
    expect(decideAccess(grants, 'token:use', ['/x/'])).toEqual({ isAllowed: true, transform: 'reveal' });
  });
});

describe('decideAccessToEach', () => {
  it('names the first container that is not granted', () => {
    const grants = [rule({ container: '/pci/', permissions: ['token:create'] })];
    expect(decideAccessToEach(grants, 'token:create', ['/pci/', '/pii/'])).toMatchObject({
      isAllowed: false,
      container: '/pii/',
    });
  });

  it('applies the least transform of all containers', () => {
    const containers = fc.array(fc.constantFrom(...transforms), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(containers, (chosen) => {
        const grants = chosen.map((transform, index) =>
          rule({ container: `/c${index}/`, transform, permissions: ['token:create'] }),
        );
        const decision = decideAccessToEach(
          grants,
          'token:create',
          chosen.map((_, index) => `/c${index}/`),
        );
        const least = transforms.find((transform) => chosen.includes(transform));
        expect(decision).toEqual({ isAllowed: true, transform: least });
      }),
    );
  });
});

describe('requireAccess', () => {
  it('names permission and container when it refuses', () => {
    expect(() => requireAccess([], 'token:read', ['/pci/'])).toThrow(
      'Missing permission: token:read on container /pci/',
    );
    expect(() => requireAccessToEach([], 'token:create', ['/a/', '/b/'])).toThrow(
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
