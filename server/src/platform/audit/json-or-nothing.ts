/** What a text says in JSON, or undefined if it is not JSON. For what the vault itself has written; requests go through `core/json`. */
export function parseJsonOrNothing(text: string): unknown {
  try {
    const parsed: unknown = JSON.parse(text);
    return parsed;
  } catch {
    return undefined;
  }
}
