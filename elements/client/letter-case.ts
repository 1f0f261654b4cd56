/** Members whose contents have names chosen by the caller. Those names are not converted. */
const untouched = new Set(['data', 'metadata', 'mask']);

export function toSnakeCase(value: unknown): unknown {
  return rename(value, (name) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
}

export function toCamelCase(value: unknown): unknown {
  return rename(value, (name) => name.replaceAll(/(?<=.)_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()));
}

function rename(value: unknown, to: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => rename(item, to));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [
    to(name),
    untouched.has(name) ? member : rename(member, to),
  ]);
  return Object.fromEntries(members);
}
