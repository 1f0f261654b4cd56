import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AccessRule, type Transform, transforms } from '../access/access-rule.ts';
import { toRules } from '../access/decide-access.ts';
import { type Permission, permissionsOf } from '../access/permission.ts';
import { findSight, type SightHolder } from '../sight/sight.ts';
import { type PlaintextRights, widensPlaintext } from './widens-plaintext.ts';

const nothing: PlaintextRights = {
  type: 'private',
  permissions: [],
  rules: [],
  grantLimit: null,
  expiresAt: null,
  allowedDestinations: null,
};
const rule = (
  container: string,
  transform: Transform,
  permissions: readonly Permission[],
  priority = 1,
): AccessRule => ({
  description: '',
  priority,
  container,
  transform,
  permissions,
});
const rights = (own: Partial<PlaintextRights>): PlaintextRights => ({ ...nothing, ...own });
const reading = (container: string, transform: Transform = 'reveal', priority = 1) =>
  rights({ rules: [rule(container, transform, ['token:read'], priority)] });
const using = (allowedDestinations: readonly string[] | null) =>
  rights({ permissions: ['token:use'], allowedDestinations });
const managing = (own: Partial<PlaintextRights> = {}) =>
  rights({ type: 'management', permissions: permissionsOf('management'), ...own });
const limit = (transform: Transform, containers = ['/'], permissions: readonly Permission[] = ['token:read']) => ({
  permissions,
  containers,
  transform,
});
const maker = (grantLimit: PlaintextRights['grantLimit']) =>
  rights({ type: 'management', permissions: ['application:create'], grantLimit });

describe('plaintext is widened by', () => {
  it.each<[string, PlaintextRights | undefined, PlaintextRights]>([
    ['a first rule that reveals', undefined, reading('/pci/')],
    ['a rule that searches plaintext', undefined, rights({ rules: [rule('/', 'reveal', ['token:search'])] })],
    ['a rule that uses plaintext', undefined, rights({ rules: [rule('/', 'reveal', ['token:use'])] })],
    ['plain token:use', undefined, rights({ permissions: ['token:use'] })],
    ['plain token:update of a private application', undefined, rights({ permissions: ['token:update'] })],
    [
      'token:update behind a mask, which can move tokens',
      undefined,
      rights({ rules: [rule('/', 'mask', ['token:update'])] }),
    ],
    ['an update of a public application', undefined, rights({ type: 'public', permissions: ['token:update'] })],
    ['a mask that becomes reveal', reading('/pci/', 'mask'), reading('/pci/')],
    ['a redaction that becomes reveal', reading('/pci/', 'redact'), reading('/pci/')],
    ['a wider container', reading('/pci/high/'), reading('/pci/')],
    ['another container', reading('/a/'), reading('/b/')],
    ['another permission', reading('/a/'), rights({ rules: [rule('/a/', 'reveal', ['token:read', 'token:use'])] })],
    [
      'an order in which plaintext comes first',
      rights({ rules: [rule('/a/', 'mask', ['token:read'], 1), rule('/', 'reveal', ['token:read'], 2)] }),
      rights({ rules: [rule('/a/', 'mask', ['token:read'], 2), rule('/', 'reveal', ['token:read'], 1)] }),
    ],
    [
      'an order that matters only for tokens in two containers',
      rights({ rules: [rule('/a/', 'mask', ['token:read'], 1), rule('/b/', 'reveal', ['token:read'], 2)] }),
      rights({ rules: [rule('/a/', 'mask', ['token:read'], 2), rule('/b/', 'reveal', ['token:read'], 1)] }),
    ],
    [
      'a mask that is taken away before a rule that reveals',
      rights({ rules: [rule('/a/', 'mask', ['token:read'], 1), rule('/', 'reveal', ['token:read'], 2)] }),
      rights({ rules: [rule('/', 'reveal', ['token:read'], 2)] }),
    ],
    [
      'an update that shows what was masked',
      rights({ rules: [rule('/', 'mask', ['token:update'])] }),
      rights({ rules: [rule('/', 'reveal', ['token:update'])] }),
    ],
    ['the use of tokens, even with a list of destinations', rights({}), using(['a.example.com'])],
    ['another destination', using(['a.example.com']), using(['a.example.com', 'b.example.com'])],
    ['destinations without a list', using(['a.example.com']), using(null)],
    ['an expired application that comes back', rights({ ...reading('/'), expiresAt: new Date(0) }), reading('/')],
    [
      'a later expiry',
      rights({ ...reading('/'), expiresAt: new Date(1_000) }),
      rights({ ...reading('/'), expiresAt: new Date(2_000) }),
    ],
    ['an application that hands out rights without a limit', undefined, maker(null)],
    ['one whose limit reaches plaintext', undefined, maker(limit('reveal'))],
    [
      'one that can make an application that makes members',
      undefined,
      maker(limit('mask', ['/'], ['tenant:member:update'])),
    ],
    ['a limit that shows more', maker(limit('mask')), maker(limit('reveal'))],
    ['a limit on more containers', maker(limit('reveal', ['/a/'])), maker(limit('reveal', ['/']))],
    ['a limit that is removed', maker(limit('reveal')), maker(null)],
    ['application:update alone', undefined, rights({ type: 'management', permissions: ['application:update'] })],
    ['inviting', undefined, rights({ type: 'management', permissions: ['tenant:invitation:create'] })],
    ['changing roles', undefined, rights({ type: 'management', permissions: ['tenant:member:update'] })],
  ])('%s', (_name, before, after) => {
    expect(widensPlaintext(before, after)).toBe(true);
  });
});

describe('plaintext is not widened by', () => {
  it.each<[string, PlaintextRights | undefined, PlaintextRights]>([
    ['nothing', undefined, nothing],
    ['creating tokens', undefined, rights({ permissions: ['token:create', 'token:delete'] })],
    ['reading and searching masked tokens', undefined, rights({ permissions: ['token:read', 'token:search'] })],
    ['a rule that masks', undefined, reading('/', 'mask')],
    ['the same rights', reading('/pci/'), reading('/pci/')],
    [
      'fewer rules',
      rights({ rules: [rule('/a/', 'reveal', ['token:read']), rule('/b/', 'reveal', ['token:read'], 2)] }),
      reading('/a/'),
    ],
    ['a narrower container', reading('/pci/'), reading('/pci/high/')],
    ['reveal that becomes a mask', reading('/'), reading('/', 'mask')],
    [
      'more that is masked',
      reading('/a/'),
      rights({ permissions: ['token:read', 'token:create'], rules: reading('/a/').rules }),
    ],
    ['fewer destinations', using(['a.example.com', 'b.example.com']), using(['a.example.com'])],
    ['a list of destinations where there was none', using(null), using(['a.example.com'])],
    [
      'an earlier expiry',
      rights({ ...reading('/'), expiresAt: new Date(2_000) }),
      rights({ ...reading('/'), expiresAt: new Date(1_000) }),
    ],
    ['a first expiry', reading('/'), rights({ ...reading('/'), expiresAt: new Date(1_000) })],
    [
      'a later expiry of an application that sees none',
      rights({ expiresAt: new Date(1_000), permissions: ['token:create'] }),
      rights({ permissions: ['token:create'] }),
    ],
    ['all of management again', managing(), managing()],
    [
      'a management application that only reads',
      undefined,
      rights({ type: 'management', permissions: ['application:read', 'log:read'] }),
    ],
    [
      'one that deletes',
      undefined,
      rights({ type: 'management', permissions: ['application:delete', 'tenant:member:delete'] }),
    ],
    ['one whose limit masks', undefined, maker(limit('mask'))],
    ['a limit where there was none', maker(null), maker(limit('reveal'))],
    ['a narrower limit', maker(limit('reveal', ['/'])), maker(limit('reveal', ['/a/']))],
  ])('%s', (_name, before, after) => {
    expect(widensPlaintext(before, after)).toBe(false);
  });
});

describe('whatever the rights are', () => {
  const paths = ['/', '/a/', '/a/b/', '/c/'];
  const permissions: readonly Permission[] = ['token:read', 'token:search', 'token:update', 'token:use'];
  const anyRights = fc.record({
    type: fc.constant('private' as const),
    permissions: fc.subarray([...permissions]),
    rules: fc.array(
      fc.record({
        description: fc.constant(''),
        priority: fc.nat(20),
        container: fc.constantFrom(...paths),
        transform: fc.constantFrom(...transforms),
        permissions: fc.subarray([...permissions], { minLength: 1 }),
      }),
      { maxLength: 4 },
    ),
    grantLimit: fc.constant(null),
    expiresAt: fc.constant(null),
    allowedDestinations: fc.constant(null),
  });
  const holderOf = (own: PlaintextRights): SightHolder => ({
    applicationType: own.type,
    grants: { rules: toRules(own.permissions, own.rules) },
  });
  const seenWays = (own: PlaintextRights, containers: readonly string[]) =>
    (findSight(holderOf(own), { id: 'x', containers })?.ways ?? [])
      .filter(({ transform }) => transform === 'reveal')
      // A caller who can define any view of the data can read it through that view, so an update that shows it is not a
      // separate way.
      .map(({ way }) => (way === 'authoring-views' ? 'token:update' : way));

  it('a way to plaintext that is new on any token is never missed', () => {
    fc.assert(
      fc.property(
        anyRights,
        anyRights,
        fc.uniqueArray(fc.constantFrom(...paths), { minLength: 1, maxLength: 3 }),
        (before, after, containers) => {
          const held = seenWays(before, containers);
          const isNew = seenWays(after, containers).some((way) => !held.includes(way));
          return !isNew || widensPlaintext(before, after);
        },
      ),
      { numRuns: 20_000 },
    );
  });

  it('the same rights are no gain', () => {
    fc.assert(
      fc.property(anyRights, (own) => !widensPlaintext(own, own)),
      { numRuns: 5_000 },
    );
  });
});
