import type { Permission } from './permission.ts';

/** What a caller gets to see, from least to most. */
export const transforms = ['redact', 'mask', 'reveal'] as const;
export type Transform = (typeof transforms)[number];

export const conditionAttributes = ['id', 'container'] as const;
export const conditionOperators = ['equals', 'starts_with'] as const;

/** A condition on the token; a token in several containers meets a condition on containers with any of them. */
export interface AccessCondition {
  readonly attribute: (typeof conditionAttributes)[number];
  readonly operator: (typeof conditionOperators)[number];
  readonly value: string;
}

/**
 * A grant: these permissions, shown through this transform, on everything under `container` (applications) or on what
 * meets all `conditions` (sessions). The lowest priority number is checked first.
 */
export interface AccessRule {
  readonly description: string;
  readonly priority: number;
  readonly container?: string;
  readonly conditions?: readonly AccessCondition[];
  readonly transform: Transform;
  readonly permissions: readonly Permission[];
}

/** What a caller may do: its own rules and, for a session, those of the application that authorized it as a limit. */
export interface Grants {
  readonly rules: readonly AccessRule[];
  readonly limit?: readonly AccessRule[];
}

export function leastTransform(a: Transform, b: Transform): Transform {
  return isMoreThan(b, a) ? a : b;
}

/** What shows most; undefined for none. */
export function mostTransform(shown: readonly Transform[]): Transform | undefined {
  return transforms.findLast((transform) => shown.includes(transform));
}

/** Whether one transform shows more than the other. */
export function isMoreThan(transform: Transform, other: Transform): boolean {
  return transforms.indexOf(transform) > transforms.indexOf(other);
}

/** How many conditions all of the rules have. A container counts as one. */
export function countConditions(rules: readonly AccessRule[]): number {
  return rules.reduce((sum, { conditions = [] }) => sum + Math.max(1, conditions.length), 0);
}
