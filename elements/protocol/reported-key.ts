/** Keys that are reported to a page because they reveal nothing about a value. */
export const reportedKeys = ['Enter', 'Escape'] as const;

export interface ReportedKey {
  readonly key: (typeof reportedKeys)[number];
  readonly altKey: boolean;
  readonly ctrlKey: boolean;
  readonly shiftKey: boolean;
  readonly metaKey: boolean;
}
