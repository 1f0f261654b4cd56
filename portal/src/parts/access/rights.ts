import type { Schemas } from '../../api/client';

export type Rule = Schemas['AccessRuleRequest'];
export type Transform = Rule['transform'];
export const transforms: readonly Transform[] = ['redact', 'mask', 'reveal'];

/** The saved or unsaved rights of an application. Rules are in evaluation order. */
export interface Rights {
  readonly permissions: readonly string[];
  readonly rules: readonly Rule[];
}

export const noRights: Rights = { permissions: [], rules: [] };

export function toRights(from: {
  readonly permissions: readonly string[];
  readonly rules: readonly Schemas['AccessRule'][];
}): Rights {
  return {
    permissions: from.permissions.toSorted(),
    rules: from.rules
      .toSorted((a, b) => a.priority - b.priority)
      .map(({ description, priority, container, transform, permissions }) => ({
        description: description ?? '',
        priority,
        container,
        transform,
        permissions: permissions.toSorted(),
      })),
  };
}

export function isSameRights(a: Rights, b: Rights): boolean {
  return JSON.stringify(toCanonical(a)) === JSON.stringify(toCanonical(b));
}

function toCanonical({ permissions, rules }: Rights) {
  return [
    permissions.toSorted(),
    rules.map(({ description, priority, container, transform, permissions: granted }) => [
      description ?? '',
      priority,
      container,
      transform,
      granted.toSorted(),
    ]),
  ];
}

/** Adds a rule that is evaluated after all others. */
export function addRule({ permissions, rules }: Rights): Rights {
  const priority = Math.max(0, ...rules.map((rule) => rule.priority)) + 1;
  return {
    permissions,
    rules: [...rules, { description: '', priority, container: '/', transform: 'mask', permissions: ['token:read'] }],
  };
}

/** Swaps two adjacent rules. Each takes the priority of the other. */
export function swapRules(rules: readonly Rule[], index: number): Rule[] {
  const [first, second] = [rules[index], rules[index + 1]];
  if (first === undefined || second === undefined) return [...rules];
  return rules
    .with(index, { ...second, priority: first.priority })
    .with(index + 1, { ...first, priority: second.priority });
}
