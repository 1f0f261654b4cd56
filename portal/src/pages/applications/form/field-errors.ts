import { Problem } from '../../../api/problem';

/** Returns the vault's error messages about a field and everything inside it. */
export function errorsAt(error: Error | null, name: string): string[] {
  if (!(error instanceof Problem)) return [];
  return Object.entries(error.fields).flatMap(([field, messages]) =>
    field === name || field.startsWith(`${name}.`) ? messages : [],
  );
}
