import { describe, expect, it } from 'vitest';
import type { AccessRule } from '../access/access-rule.ts';
import { listRightsChanges, type Rights, toCanonicalRights } from './rights-difference.ts';

const rule = (over: Partial<AccessRule> = {}): AccessRule => ({
  description: 'what somebody wrote',
  priority: 1,
  container: '/pci/',
  transform: 'reveal',
  permissions: ['token:search', 'token:read'],
  ...over,
});
const rights = (over: Partial<Rights> = {}): Rights => ({ type: 'private', permissions: [], rules: [], ...over });

describe('listRightsChanges', () => {
  it('names everything of somebody new, and of somebody who is gone', () => {
    const held = rights({ permissions: ['token:use', 'token:create'], rules: [rule()] });
    const lines = (change: string) => [
      `permission ${change}: token:create`,
      `permission ${change}: token:use`,
      `rule ${change}: /pci/ reveal token:read, token:search (priority 1)`,
    ];
    expect(listRightsChanges(undefined, held)).toEqual(lines('added'));
    expect(listRightsChanges(held, undefined)).toEqual(lines('removed'));
  });

  it.each<[string, Partial<Rights>, Partial<Rights>, string[]]>([
    ['nothing', { rules: [rule()] }, { rules: [rule({ description: 'another word' })] }, []],
    ['an order', { permissions: ['token:read', 'token:use'] }, { permissions: ['token:use', 'token:read'] }, []],
    [
      'a transform',
      { rules: [rule({ transform: 'mask' })] },
      { rules: [rule()] },
      [
        'rule removed: /pci/ mask token:read, token:search (priority 1)',
        'rule added: /pci/ reveal token:read, token:search (priority 1)',
      ],
    ],
    [
      'destinations',
      { allowedDestinations: null },
      { allowedDestinations: ['b.example', 'a.example'] },
      ['limit of destinations added: to a list', 'destination added: a.example', 'destination added: b.example'],
    ],
    ['an empty list', { allowedDestinations: [] }, {}, ['limit of destinations removed: to a list']],
    [
      'origins',
      { allowedOrigins: ['https://b.example'] },
      { allowedOrigins: ['https://a.example'] },
      ['origin removed: https://b.example', 'origin added: https://a.example'],
    ],
    ['no origin', {}, { allowedOrigins: [] }, ['limit of origins added: to a list']],
    [
      'a cap',
      {},
      { grantLimit: { permissions: ['token:read'], containers: ['/a/'], transform: 'mask' } },
      ['grant limit added: /a/ mask token:read'],
    ],
    ['an end', {}, { expiresAt: new Date(0) }, ['expiry added: 1970-01-01T00:00:00.000Z']],
  ])('tells %s', (_name, before, after, changes) => {
    expect(listRightsChanges(rights(before), rights(after))).toEqual(changes);
  });

  it('does not repeat an id that somebody has chosen', () => {
    const conditions = [
      { attribute: 'id', operator: 'equals', value: '4242424242424242' },
      { attribute: 'container', operator: 'starts_with', value: '/pci/' },
    ] as const;
    const [line = ''] = listRightsChanges(
      undefined,
      rights({ rules: [{ ...rule(), container: undefined, conditions } as never] }),
    );
    expect(line).toBe(
      'rule added: id equals * and container starts_with /pci/ reveal token:read, token:search (priority 1)',
    );
  });
});

describe('toCanonicalRights', () => {
  it('is the same for the same rights, however they are written', () => {
    const one = rights({ permissions: ['token:read', 'token:use'], rules: [rule(), rule({ priority: 2 })] });
    const other = rights({
      permissions: ['token:use', 'token:read'],
      rules: [rule({ priority: 2, description: '' }), rule({ permissions: ['token:read', 'token:search'] })],
      grantLimit: null,
    });
    expect(toCanonicalRights(one)).toBe(toCanonicalRights(other));
    expect(toCanonicalRights(one)).not.toBe(toCanonicalRights({ ...other, type: 'public' }));
  });

  it('tells lists of origins apart, and has not changed where there is none', () => {
    const texts = [undefined, [], ['https://a.example']].map((allowedOrigins) =>
      toCanonicalRights(rights(allowedOrigins === undefined ? {} : { allowedOrigins })),
    );
    expect(new Set(texts).size).toBe(3);
    expect(texts[0]).not.toContain('origins');
    expect(toCanonicalRights(rights({ allowedOrigins: null }))).toBe(texts[0]);
  });
});
