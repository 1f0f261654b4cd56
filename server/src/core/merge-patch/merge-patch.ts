import { isJsonObject, type JsonValue } from '../json/json-value.ts';

/**
 * RFC 7386, section 2: null removes a member, an object merges, anything else replaces. Returns a new tree that shares
 * what did not change and leaves both inputs alone. It recurses as deep as the patch does, which the JSON parser bounds.
 */
export function mergePatch(target: JsonValue | undefined, patch: JsonValue): JsonValue {
  if (!isJsonObject(patch)) return patch;

  // A Map and fromEntries hold `__proto__` as an ordinary member: it is neither inherited from nor assigned to.
  const members = new Map(isJsonObject(target) ? Object.entries(target) : []);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) members.delete(key);
    else members.set(key, mergePatch(members.get(key), value));
  }
  return Object.fromEntries(members);
}
