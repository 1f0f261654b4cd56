import { isJsonObject, type JsonValue } from '../json/json-value.ts';

/**
 * Returns true if a merge patch (RFC 7386) leaves any part of the target in its result. Without a patch, all of it
 * stays.
 */
export function leavesStored(target: JsonValue | undefined, patch: JsonValue | undefined): boolean {
  if (target === undefined) return false;
  if (patch === undefined) return true;
  if (!isJsonObject(patch) || !isJsonObject(target)) return false;
  const names = Object.keys(target);
  // An object can have a hundred thousand members, while a patch names only a few.
  if (names.length > Object.keys(patch).length) return true;
  return names.some((name) => !Object.hasOwn(patch, name) || leavesStored(target[name], ownMember(patch, name)));
}

/**
 * Returns true if the values at these paths, read together after the patch, combine stored and supplied parts. Such a
 * combination can reveal something new about the stored parts, because the caller chose what surrounds them.
 */
export function mixesStored(target: JsonValue, patch: JsonValue, paths: readonly (readonly string[])[]): boolean {
  const readings = paths.map((path) => follow(target, patch, path));
  return (
    readings.some(({ supplied }) => supplied !== undefined) &&
    readings.some(({ stored, supplied }) => leavesStored(stored, supplied))
  );
}

/**
 * Returns the values of target and patch at a path. Anything but an object in the patch replaces everything below it.
 */
function follow(
  target: JsonValue,
  patch: JsonValue,
  path: readonly string[],
): { stored: JsonValue | undefined; supplied: JsonValue | undefined } {
  let stored: JsonValue | undefined = target;
  let supplied: JsonValue | undefined = patch;
  for (const name of path) {
    const isReplaced: boolean = supplied !== undefined && !(isJsonObject(supplied) && isJsonObject(stored));
    stored = stored === undefined || isReplaced ? undefined : ownMember(stored, name);
    supplied = isJsonObject(supplied) ? ownMember(supplied, name) : supplied;
  }
  return { stored, supplied };
}

function ownMember(value: JsonValue, name: string): JsonValue | undefined {
  if (Array.isArray(value)) return (value as readonly JsonValue[])[Number(name)];
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
