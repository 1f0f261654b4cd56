import { Problem } from '../../../api/problem';

/** What the vault says about a field and everything inside it. */
export function errorsAt(error: Error | null, name: string): string[] {
  if (!(error instanceof Problem)) return [];
  return Object.entries(error.fields).flatMap(([field, messages]) =>
    field === name || field.startsWith(`${name}.`) ? messages : [],
  );
}
