import { isJsonObject, type JsonObject, type JsonValue } from '../json/json-value.ts';
import { finish, type Steps } from '../steps/steps.ts';

/** The number of members merged between two pauses, which takes about a millisecond. */
const membersPerStep = 2_000;

/**
 * Applies a merge patch (RFC 7386, section 2): null removes a member, an object merges, anything else replaces. Returns
 * a new tree that shares unchanged parts and leaves both inputs unmodified. It recurses as deep as the patch, which the
 * JSON parser bounds.
 */
export function mergePatch(target: JsonValue | undefined, patch: JsonValue): JsonValue {
  return finish(mergePatchSteps(target, patch));
}

/** Works like `mergePatch`, but in steps, for values that may be large. */
export function* mergePatchSteps(target: JsonValue | undefined, patch: JsonValue): Steps<JsonValue> {
  if (!isJsonObject(patch)) return patch;

  const current: JsonObject = isJsonObject(target) ? target : {};
  // In a Map, `__proto__` is an ordinary member that is neither inherited nor assigned to the prototype.
  const members = new Map<string, JsonValue>();
  let count = 0;
  for (const key of Object.keys(current)) {
    members.set(key, current[key] ?? null);
    count += 1;
    if (count % membersPerStep === 0) yield;
  }
  for (const key of Object.keys(patch)) {
    const value = patch[key] ?? null;
    if (value === null) members.delete(key);
    else members.set(key, isJsonObject(value) ? yield* mergePatchSteps(members.get(key), value) : value);
    count += 1;
    if (count % membersPerStep === 0) yield;
  }
  return yield* toObject(members);
}

function* toObject(members: ReadonlyMap<string, JsonValue>): Steps<JsonObject> {
  const object: Record<string, JsonValue> = {};
  let count = 0;
  for (const [key, value] of members) {
    // An assignment to `__proto__` would change the prototype.
    if (key === '__proto__')
      Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
    else object[key] = value;
    count += 1;
    if (count % membersPerStep === 0) yield;
  }
  return object;
}
