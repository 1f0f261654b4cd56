/**
 * Parses the query of an address as plain `name=value` pairs, so that people can read and write links by hand. The values
 * of a repeated name are joined with commas.
 */
export function readSearch(text: string): Record<string, string> {
  const read = new URLSearchParams(text);
  return Object.fromEntries([...new Set(read.keys())].map((name) => [name, read.getAll(name).join(',')]));
}

export function writeSearch(search: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(search).flatMap(([name, value]) =>
    typeof value === 'string' && value !== '' ? [[name, value]] : [],
  );
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`;
}

/** Returns the named members that are non-empty text. */
export function pickSearch<Name extends string>(
  search: Readonly<Record<string, unknown>>,
  names: readonly Name[],
): Partial<Record<Name, string>> {
  const picked: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const value = search[name];
    if (typeof value === 'string' && value !== '') picked[name] = value;
  }
  return picked;
}
