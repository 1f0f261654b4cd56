export function isKeyOf<T extends object>(object: T, key: PropertyKey): key is keyof T {
  return Object.hasOwn(object, key);
}

/** Returns the keys of an object whose type declares them all. */
export function keysOf<T extends object>(object: T): (keyof T & string)[] {
  return Object.keys(object).filter((key) => isKeyOf(object, key));
}

/** Creates one value for each key. */
export function recordOf<Key extends string, Value>(
  keys: readonly Key[],
  make: (key: Key) => Value,
): Readonly<Record<Key, Value>> {
  const record: Partial<Record<Key, Value>> = {};
  for (const key of keys) record[key] = make(key);
  if (!hasEvery(record, keys)) throw new Error('Every name was given a value.');
  return record;
}

function hasEvery<Key extends string, Value>(
  record: Partial<Record<Key, Value>>,
  keys: readonly Key[],
): record is Record<Key, Value> {
  return keys.every((key) => Object.hasOwn(record, key));
}
