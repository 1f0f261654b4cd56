import { describe, expect, it } from 'vitest';
import { type AccessRule, type Transform, transforms } from '../access/access-rule.ts';
import { decideAccess, toRules } from '../access/decide-access.ts';
import type { GrantLimit } from '../access/grant-limit.ts';
import { findExcess } from '../access/grant-limit.ts';
import type { Permission } from '../access/permission.ts';
import { finish } from '../steps/steps.ts';
import { findSight, findSightWithin, type Sight, type SightWay, sightWays } from './sight.ts';

const paths = ['/', '/a/', '/a/b/', '/b/'];
const showing: Permission[] = ['token:read', 'token:search', 'token:update', 'token:use'];
const pick = <T>(values: readonly T[]): T => values[Math.floor(Math.random() * values.length)] as T;
const some = <T>(values: readonly T[]): T[] => values.filter(() => Math.random() < 0.4);

function randomRule(priority: number): AccessRule {
  const transform = pick(transforms);
  return {
    description: '',
    priority,
    container: pick(paths),
    transform,
    permissions: [pick(showing), ...some(showing)],
  };
}

describe('findSight', () => {
  it('agrees with every single decision, for random rules', () => {
    for (let round = 0; round < 5_000; round += 1) {
      const plain = Math.random() < 0.5 ? some(showing) : [];
      const rules = toRules(plain, [1, 2, 3].map(randomRule));
      const limit = Math.random() < 0.3 ? { limit: toRules([], [1, 2].map(randomRule)) } : {};
      const holder = { applicationType: pick(['private', 'public'] as const), grants: { rules, ...limit } };
      const target = { containers: [pick(paths), pick(paths)] };
      const sight = findSight(holder, target);
      for (const permission of showing) {
        const decision = decideAccess(holder.grants, permission, target);
        const listed = sight?.ways.find(({ way }) => way === permission)?.transform;
        expect(listed).toBe(decision.isAllowed ? decision.transform : undefined);
      }
      const most = transforms.findLast((transform) => sight?.ways.some((way) => way.transform === transform));
      expect(sight?.transform).toBe(most);
    }
  });

  it('says what can be handed out as the limit itself does, for every single grant', () => {
    for (let round = 0; round < 2_000; round += 1) {
      const grantLimit: GrantLimit = {
        permissions: some(showing),
        containers: [pick(paths)],
        transform: pick(transforms),
      };
      const holder = {
        applicationType: 'management' as const,
        grants: { rules: toRules(['application:create'], []) },
        grantLimit,
      };
      const target = { containers: [pick(paths)] };
      expect(findSight(holder, target)?.transform).toBe(mostGrantable(grantLimit, target.containers[0] ?? ''));
    }
  });

  it('counts plain token:update of a private application as plaintext, and not that of a public one', () => {
    const grants = { rules: toRules(['token:update'], []) };
    expect(findSight({ applicationType: 'private', grants }, { containers: ['/a/'] })).toEqual({
      transform: 'reveal',
      ways: [
        { way: 'token:update', transform: 'mask' },
        { way: 'authoring-views', transform: 'reveal' },
      ],
    });
    expect(findSight({ applicationType: 'public', grants }, { containers: ['/a/'] })).toMatchObject({
      transform: 'mask',
    });
  });

  it('counts who makes members as one who can see plaintext, whatever caps it', () => {
    const grantLimit: GrantLimit = { permissions: ['token:read'], containers: ['/b/'], transform: 'mask' };
    const holder = (permissions: Permission[], limit = grantLimit) => ({
      applicationType: 'management' as const,
      grants: { rules: toRules(permissions, []) },
      grantLimit: limit,
    });
    const target = { containers: ['/a/'] };
    expect(findSight(holder(['application:create']), target)).toBeUndefined();
    for (const permission of ['tenant:invitation:create', 'tenant:member:update'] as const) {
      expect(findSight(holder([permission]), target)).toMatchObject({ transform: 'reveal' });
      const limit: GrantLimit = { ...grantLimit, permissions: [permission] };
      expect(findSight(holder(['application:create'], limit), target)).toMatchObject({ transform: 'reveal' });
    }
  });

  it('finds no way for who has none', () => {
    const grants = { rules: toRules(['token:create', 'token:delete'], []) };
    expect(findSight({ applicationType: 'private', grants }, { containers: ['/'] })).toBeUndefined();
    const reading = { rules: toRules(['application:read', 'log:read'], []) };
    expect(findSight({ applicationType: 'management', grants: reading }, { containers: ['/'] })).toBeUndefined();
  });
});

describe('findSightWithin', () => {
  const ids = ['x', 'xy', 'z'];
  const below = ['/a/', '/a/b/', '/a/b/c/', '/a/bc/'];
  const randomCondition = () =>
    pick([
      { attribute: 'id', operator: 'equals', value: pick(ids) },
      { attribute: 'id', operator: 'starts_with', value: 'x' },
      { attribute: 'container', operator: 'equals', value: pick(below) },
      { attribute: 'container', operator: 'starts_with', value: pick(['/', '/a/b', '/a/b/']) },
    ] as const);
  const sessionRule = (priority: number): AccessRule => {
    const { container, ...rule } = randomRule(priority);
    if (Math.random() < 0.3) return { ...rule, container: container ?? '/' };
    return { ...rule, conditions: [randomCondition(), ...(Math.random() < 0.3 ? [randomCondition()] : [])] };
  };
  const rankOf = (sight: Sight | undefined, way: SightWay) =>
    transforms.findIndex((transform) => sight?.ways.some((one) => one.way === way && one.transform === transform));

  it('misses no way to any token of the container or below, for random rules of sessions', () => {
    for (let round = 0; round < 1_500; round += 1) {
      const rules = toRules(some(showing), [1, 2, 3].map(sessionRule));
      const limit = toRules(some(showing), [1, 2].map(randomRule));
      const holder = { applicationType: 'public' as const, grants: { rules, limit }, session: { isAuthorized: true } };
      const within = finish(findSightWithin(holder, '/a/', []));
      const missed = [...ids, 'other'].flatMap((id) =>
        below.flatMap((container) => {
          const sight = findSight(holder, { id, containers: [container] });
          return sightWays.filter((way) => rankOf(sight, way) > rankOf(within, way));
        }),
      );
      expect(missed).toEqual([]);
    }
  });

  it('says no more than what some token below shows, for random rules of applications', () => {
    for (let round = 0; round < 1_000; round += 1) {
      const rules = toRules(some(showing), [1, 2, 3].map(randomRule));
      const holder = { applicationType: 'private' as const, grants: { rules } };
      const within = finish(findSightWithin(holder, '/a/', []));
      const sights = below.map((container) => findSight(holder, { containers: [container] }));
      const claimed = sightWays.filter((way) => sights.every((sight) => rankOf(sight, way) < rankOf(within, way)));
      expect(claimed).toEqual([]);
    }
  });

  const beside = ['/', '/a/b/', '/b/', '/b/c/', '/bc/', '/d/'];
  const everywhere = [...new Set([...below, ...beside])].toSorted();
  const besideRule = (priority: number): AccessRule => {
    const { container: _, ...rule } = randomRule(priority);
    if (Math.random() < 0.5) return { ...rule, container: pick(beside) };
    const operator = pick(['equals', 'starts_with'] as const);
    return { ...rule, conditions: [{ attribute: 'container', operator, value: pick(beside) }] };
  };

  it.each([
    ['listed', everywhere],
    ['too many to list', undefined],
  ])('misses no way to a token that lies elsewhere too, for random rules and containers that are %s', (_, shared) => {
    for (let round = 0; round < 1_500; round += 1) {
      const rules = toRules(some(showing), [...[1, 2].map(besideRule), sessionRule(3)]);
      const limit = toRules(some(showing), [1, 2].map(besideRule));
      const holder = pick([
        { applicationType: pick(['private', 'public'] as const), grants: { rules } },
        { applicationType: 'public' as const, grants: { rules, limit }, session: { isAuthorized: true } },
      ]);
      const within = finish(findSightWithin(holder, '/a/', shared));
      const missed = [...ids, 'other'].flatMap((id) =>
        beside.flatMap((other) => {
          const sight = findSight(holder, { id, containers: [pick(below), other, pick(beside)] });
          return sightWays.filter((way) => rankOf(sight, way) > rankOf(within, way));
        }),
      );
      expect(missed).toEqual([]);
    }
  });

  const ruleOn = (container: string, transform: Transform, priority = 1): AccessRule => ({
    description: '',
    priority,
    container,
    transform,
    permissions: ['token:read'],
  });
  it.each<[string, AccessRule[], string[], Transform | undefined]>([
    ['counts a rule on a container that tokens share', [ruleOn('/b/', 'reveal')], ['/a/', '/b/c/'], 'reveal'],
    ['counts no rule on a container without such tokens', [ruleOn('/b/', 'reveal')], ['/a/', '/d/'], undefined],
    ['counts no rule on a container with a similar name', [ruleOn('/b/', 'reveal')], ['/a/', '/bc/'], undefined],
    ['counts no other rule if no token lies elsewhere', [ruleOn('/b/', 'reveal')], [], undefined],
    [
      'counts no rule that comes after one on the container',
      [ruleOn('/a/', 'mask', 1), ruleOn('/b/', 'reveal', 2)],
      ['/a/', '/b/'],
      'mask',
    ],
    [
      'counts a rule that comes before one on the container',
      [ruleOn('/b/', 'reveal', 1), ruleOn('/', 'redact', 2)],
      ['/a/', '/b/'],
      'reveal',
    ],
  ])('%s', (_, rules, shared, transform) => {
    const holder = { applicationType: 'private' as const, grants: { rules: toRules([], rules) } };
    expect(finish(findSightWithin(holder, '/a/', shared))?.transform).toBe(transform);
  });

  it('counts rights that can be handed out on a container that tokens share', () => {
    const grantLimit: GrantLimit = { permissions: ['token:read'], containers: ['/b/'], transform: 'mask' };
    const grants = { rules: toRules(['application:create'], []) };
    const holder = { applicationType: 'management' as const, grants, grantLimit };
    expect(finish(findSightWithin(holder, '/a/', ['/a/', '/b/']))).toMatchObject({ transform: 'mask' });
    expect(finish(findSightWithin(holder, '/a/', ['/a/', '/d/']))).toBeUndefined();
  });

  it('says what can be handed out below the container', () => {
    const grantLimit: GrantLimit = { permissions: ['token:read'], containers: ['/a/b/'], transform: 'mask' };
    const grants = { rules: toRules(['application:create'], []) };
    const holder = { applicationType: 'management' as const, grants, grantLimit };
    expect(finish(findSightWithin(holder, '/a/', []))).toMatchObject({ transform: 'mask' });
    expect(finish(findSightWithin(holder, '/b/', []))).toBeUndefined();
  });
});

/** Returns the most shown by any rule that could be handed out for one permission. */
function mostGrantable(limit: GrantLimit, container: string): Transform | undefined {
  return transforms.findLast((transform) =>
    showing.some((permission) =>
      paths.some((path) => {
        const rule = { description: '', priority: 1, container: path, transform, permissions: [permission] };
        const held = { type: 'private' as const, permissions: [], rules: [rule], grantLimit: null };
        return (
          findExcess(limit, held) === undefined &&
          decideAccess({ rules: toRules([], [rule]) }, permission, { containers: [container] }).isAllowed
        );
      }),
    ),
  );
}
