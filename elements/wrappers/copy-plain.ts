/**
 * Copies lists and plain objects at any depth, and keeps everything else. Frameworks wrap what a page passes in proxies,
 * which messages cannot carry.
 */
export function copyPlain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyPlain);
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, copyPlain(member)]));
}
