import type { FieldErrors } from '../errors/domain-error.ts';

/** Collects all invalid fields, so that a caller can fix them in one go. */
export function collectFieldErrors(problems: Readonly<Record<string, string | undefined>>): FieldErrors | undefined {
  const errors: Record<string, readonly string[]> = {};
  for (const [path, problem] of Object.entries(problems)) {
    if (problem !== undefined) errors[path] = [problem];
  }
  return Object.keys(errors).length === 0 ? undefined : errors;
}
