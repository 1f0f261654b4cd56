import { Sensitive } from '../identity/sensitive.ts';
import { isJsonObject, type JsonValue } from '../json/json-value.ts';
import type { Steps } from '../steps/steps.ts';

/** The number of members compared between two pauses, which takes about a millisecond. */
const membersPerStep = 2_000;

/**
 * The comparison of one patch with one value. All checks of the pair share it, so that each member is compared only
 * once, however many checks there are.
 */
export class StoredRemainder {
  readonly #target: Sensitive<JsonValue>;
  readonly #patch: Sensitive<JsonValue>;
  /** The objects of the patch that replace everything in the corresponding object of the target. */
  readonly #replacing = new Set<object>();
  #comparedCount = 0;

  constructor(target: JsonValue, patch: JsonValue) {
    this.#target = new Sensitive(target);
    this.#patch = new Sensitive(patch);
  }

  /** The number of members compared so far. */
  get comparedCount(): number {
    return this.#comparedCount;
  }

  /** Returns true if the merge patch (RFC 7386) leaves any part of the target in its result. */
  isLeft(): Steps<boolean> {
    return this.#isLeft(this.#target.reveal(), this.#patch.reveal());
  }

  /**
   * Returns true if the values at these paths, read together after the patch, combine stored and supplied parts. Such a
   * combination can reveal something new about the stored parts, because the caller chose what surrounds them.
   */
  *isMixed(paths: readonly (readonly string[])[]): Steps<boolean> {
    const [target, patch] = [this.#target.reveal(), this.#patch.reveal()];
    const readings = paths.map((path) => follow(target, patch, path));
    if (readings.every(({ supplied }) => supplied === undefined)) return false;
    for (const { stored, supplied } of readings) if (yield* this.#isLeft(stored, supplied)) return true;
    return false;
  }

  /** Returns true if part of the target remains. Without a patch, all of it does. */
  *#isLeft(target: JsonValue | undefined, patch: JsonValue | undefined): Steps<boolean> {
    if (target === undefined) return false;
    if (patch === undefined) return true;
    if (!isJsonObject(patch) || !isJsonObject(target) || this.#replacing.has(patch)) return false;
    const names = Object.keys(target);
    // Listing the names of a hundred thousand members takes 20 ms, so those of the patch are listed in another step.
    if (names.length > membersPerStep) yield;
    // An object can have a hundred thousand members, while a patch names only a few.
    if (names.length > Object.keys(patch).length) return true;
    for (const name of names) {
      this.#comparedCount += 1;
      if (this.#comparedCount % membersPerStep === 0) yield;
      if (!Object.hasOwn(patch, name) || (yield* this.#isLeft(target[name], patch[name]))) return true;
    }
    this.#replacing.add(patch);
    return false;
  }
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
