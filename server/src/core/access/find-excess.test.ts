import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AccessCondition, type AccessRule, transforms } from './access-rule.ts';
import { decideAccess, toRules } from './decide-access.ts';
import { findExcess } from './find-excess.ts';
import type { Permission } from './permission.ts';

const paths = ['/', '/a/', '/a/b/', '/ab/', '/c/'];
const ids = ['x', 'x1', 'y'];
const permissions: readonly Permission[] = ['token:read', 'token:update', 'token:use'];
const somePermissions = fc.uniqueArray(fc.constantFrom(...permissions), { minLength: 1, maxLength: 3 });

const anyContainerRule = fc.record({
  description: fc.constant(''),
  priority: fc.nat(100),
  container: fc.constantFrom(...paths),
  transform: fc.constantFrom(...transforms),
  permissions: somePermissions,
});
const anyCondition: fc.Arbitrary<AccessCondition> = fc.oneof(
  fc.record({
    attribute: fc.constant('id' as const),
    operator: fc.constantFrom('equals' as const, 'starts_with' as const),
    value: fc.constantFrom(...ids),
  }),
  fc.record({
    attribute: fc.constant('container' as const),
    operator: fc.constantFrom('equals' as const, 'starts_with' as const),
    value: fc.constantFrom(...paths, '/a', 'a'),
  }),
);
const anyConditionRule = fc.record({
  description: fc.constant(''),
  priority: fc.nat(100),
  conditions: fc.array(anyCondition, { minLength: 1, maxLength: 3 }),
  transform: fc.constantFrom(...transforms),
  permissions: somePermissions,
});
const plain = fc.subarray([...permissions]);
const heldRules = fc
  .tuple(plain, fc.array(anyContainerRule, { maxLength: 3 }))
  .map(([granted, rules]) => toRules(granted, rules));
const wantedRules = fc
  .tuple(plain, fc.array(fc.oneof(anyContainerRule, anyConditionRule), { maxLength: 3 }))
  .map(([granted, rules]) => toRules(granted, rules));

const containerSets = paths.flatMap((one) => [
  [one],
  ...paths.filter((other) => other > one).map((other) => [one, other]),
]);
const targets = [...containerSets, paths].flatMap((containers) => [
  { containers },
  ...ids.map((id) => ({ id, containers })),
]);

/** Returns true if the limit restricts access to none of the targets. */
function isWithin(wanted: readonly AccessRule[], held: readonly AccessRule[]): boolean {
  return targets.every((target) =>
    permissions.every((permission) => {
      const alone = decideAccess({ rules: wanted }, permission, target);
      const limited = decideAccess({ rules: wanted, limit: held }, permission, target);
      if (!alone.isAllowed) return true;
      return limited.isAllowed && limited.transform === alone.transform;
    }),
  );
}

describe('findExcess', () => {
  it('finds one wherever the limit of the holder would take something away', () => {
    let accepted = 0;
    fc.assert(
      fc.property(wantedRules, heldRules, (wanted, held) => {
        if (findExcess(wanted, held) !== undefined) return;
        accepted += 1;
        expect(isWithin(wanted, held)).toBe(true);
      }),
      { numRuns: 20_000 },
    );
    expect(accepted).toBeGreaterThan(1_000);
  });

  it('finds none in what somebody holds already', () => {
    fc.assert(
      fc.property(heldRules, (held) => {
        expect(findExcess(held, held)).toBeUndefined();
      }),
    );
  });

  it('misses little: of single rules on containers it refuses none that is within', () => {
    const one = anyContainerRule.map((rule) => toRules([], [rule]));
    fc.assert(
      fc.property(one, one, (wanted, held) => {
        if (isWithin(wanted, held) && !wanted[0]?.permissions.includes('token:use')) {
          expect(findExcess(wanted, held)).toBeUndefined();
        }
      }),
      { numRuns: 5_000 },
    );
  });
});
