/** Whether a value has members; what they are is for anyone who reads them to find out. */
export function hasMembers(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** The members of something from outside, none of them checked; of what is no object there are none. */
export function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return hasMembers(value) ? value : {};
}
