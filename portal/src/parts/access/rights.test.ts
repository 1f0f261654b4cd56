import { expect, it } from 'vitest';
import { addRule, isSameRights, noRights, swapRules, toRights } from './rights';

const rule = (priority: number, container: string) => ({
  description: '',
  priority,
  container,
  transform: 'mask' as const,
  permissions: ['token:read', 'token:create'],
});

it('orders rules by priority and permissions by name, so that equal rights are equal', () => {
  const rules = [rule(2, '/b/'), rule(1, '/a/')];
  const rights = toRights({ permissions: ['token:use', 'token:read'], rules });
  expect(rights.permissions).toEqual(['token:read', 'token:use']);
  expect(rights.rules.map(({ container }) => container)).toEqual(['/a/', '/b/']);
  expect(isSameRights(rights, { ...rights, permissions: rights.permissions.toReversed() })).toBe(true);
  expect(isSameRights(rights, { ...rights, rules: rights.rules.toReversed() })).toBe(false);
});

it('adds a rule after all others', () => {
  const { rules } = addRule({ ...noRights, rules: [rule(7, '/a/')] });
  expect(rules.at(-1)).toMatchObject({ priority: 8, transform: 'mask', permissions: ['token:read'] });
});

it('swaps two neighbours, which take the priority of each other', () => {
  const rules = [rule(1, '/a/'), rule(5, '/b/')];
  expect(swapRules(rules, 0)).toMatchObject([
    { container: '/b/', priority: 1 },
    { container: '/a/', priority: 5 },
  ]);
  expect(swapRules(rules, 1)).toEqual(rules);
});
