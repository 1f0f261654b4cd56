import type { Permission } from './permission.ts';

/** What a caller gets to see, from least to most. */
export const transforms = ['redact', 'mask', 'reveal'] as const;
export type Transform = (typeof transforms)[number];

/** A grant: on everything under `container`, these permissions, shown through this transform. Lower priority goes first. */
export interface AccessRule {
  readonly description: string;
  readonly priority: number;
  readonly container: string;
  readonly transform: Transform;
  readonly permissions: readonly Permission[];
}

export function leastTransform(a: Transform, b: Transform): Transform {
  return transforms.indexOf(a) < transforms.indexOf(b) ? a : b;
}
