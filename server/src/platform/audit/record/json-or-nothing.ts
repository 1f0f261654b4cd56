/** Parses JSON that the vault itself wrote. Returns undefined for anything else. Requests are parsed by `core/json`. */
export function parseJsonOrNothing(text: string): unknown {
  try {
    const parsed: unknown = JSON.parse(text);
    return parsed;
  } catch {
    return undefined;
  }
}
