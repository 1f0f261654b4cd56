import type { Permission } from './permission.ts';

/** How much a caller sees, from least to most. */
export const transforms = ['redact', 'mask', 'reveal'] as const;
export type Transform = (typeof transforms)[number];

export const conditionAttributes = ['id', 'container'] as const;
export const conditionOperators = ['equals', 'starts_with'] as const;

/** A condition on the token. A token in several containers meets a container condition if any of them does. */
export interface AccessCondition {
  readonly attribute: (typeof conditionAttributes)[number];
  readonly operator: (typeof conditionOperators)[number];
  readonly value: string;
}

/**
 * A grant of permissions with a transform. It applies to everything under `container` (applications) or to tokens that
 * meet all `conditions` (sessions). The rule with the lowest priority number is checked first.
 */
export interface AccessRule {
  readonly description: string;
  readonly priority: number;
  readonly container?: string;
  readonly conditions?: readonly AccessCondition[];
  readonly transform: Transform;
  readonly permissions: readonly Permission[];
}

/** The rights of a caller: its own rules and, for a session, the rules of the authorizing application as a limit. */
export interface Grants {
  readonly rules: readonly AccessRule[];
  readonly limit?: readonly AccessRule[];
}

export function leastTransform(a: Transform, b: Transform): Transform {
  return isMoreThan(b, a) ? a : b;
}

/** Returns the transform that shows the most; undefined if the list is empty. */
export function mostTransform(shown: readonly Transform[]): Transform | undefined {
  return transforms.findLast((transform) => shown.includes(transform));
}

/** Returns true if the first transform shows more than the other. */
export function isMoreThan(transform: Transform, other: Transform): boolean {
  return transforms.indexOf(transform) > transforms.indexOf(other);
}

/** Returns the total number of conditions in the rules. A rule on a container counts as one. */
export function countConditions(rules: readonly AccessRule[]): number {
  return rules.reduce((sum, { conditions = [] }) => sum + Math.max(1, conditions.length), 0);
}
