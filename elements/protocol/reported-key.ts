/** Keys that a page is told about, as they say nothing about a value. */
export const reportedKeys = ['Enter', 'Escape'] as const;

export interface ReportedKey {
  readonly key: (typeof reportedKeys)[number];
  readonly altKey: boolean;
  readonly ctrlKey: boolean;
  readonly shiftKey: boolean;
  readonly metaKey: boolean;
}
