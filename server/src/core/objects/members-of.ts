/** Returns true if a value can have members. Nothing is known about them until the reader checks each one. */
export function hasMembers(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** Returns the unchecked members of an external value, or none if it is not an object. */
export function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return hasMembers(value) ? value : {};
}
