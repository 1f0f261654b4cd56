import { isJsonObject, type JsonObject, type JsonValue } from '../json/json-value.ts';
import { tokenLimits } from '../token-limits.ts';
import { stopTable, type TextCursor } from './text-cursor.ts';

/** The root members that an expression may use: `data` always, `metadata` for fingerprints. */
export type Scope = JsonObject;

/** Member names and array positions, starting with the root. */
export type ScopePath = readonly string[];

/** Parses a path such as `data.a.b`, `data['a b']`, `data.list.0` or `data.list[0]`. */
export function parsePath(cursor: TextCursor): ScopePath {
  const root = cursor.readUntil(nameStops);
  if (root === '' && cursor.isAt('}}')) throw cursor.failure('empty-expression');
  if (!startsLikeName(root)) throw cursor.failure(cursor.unexpected);
  const path = [root];
  for (let name = parseStep(cursor); name !== null; name = parseStep(cursor)) {
    if (path.length > tokenLimits.pathStepsMax) throw cursor.failure('path-too-deep');
    path.push(name);
  }
  return path;
}

/** Returns the value at a path, following own members only, or null if there is none. */
export function findValue(scope: Scope, path: ScopePath): JsonValue {
  let value: JsonValue = scope;
  for (const name of path) {
    const found: JsonValue | undefined = isJsonObject(value) ? ownMember(value, name) : item(value, name);
    if (found === undefined) return null;
    value = found;
  }
  return value;
}

const nameStops = stopTable(' \t\r\n|,:\'"{}.[]');

function startsLikeName(word: string): boolean {
  const first = word.charAt(0);
  return first === '_' || first.toLowerCase() !== first.toUpperCase();
}

function parseStep(cursor: TextCursor): string | null {
  if (cursor.accept('.')) return requireName(cursor, cursor.readUntil(nameStops));
  if (!cursor.accept('[')) return null;

  cursor.skipSpace();
  const name = parseBracketed(cursor);
  cursor.skipSpace();
  if (!cursor.accept(']')) throw cursor.failure(cursor.unexpected);
  return name;
}

function parseBracketed(cursor: TextCursor): string {
  for (const quote of ["'", '"']) {
    if (cursor.accept(quote)) return cursor.readQuoted(quote);
  }
  const word = requireName(cursor, cursor.readUntil(nameStops));
  // A bare word in brackets is a variable in Liquid. Treating it as a name would read a different member.
  if (!isPosition(word)) throw cursor.failure('malformed-expression');
  return word;
}

function requireName(cursor: TextCursor, name: string): string {
  if (name === '') throw cursor.failure(cursor.unexpected);
  return name;
}

function ownMember(object: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Returns an item by its position. Other names are ignored, because `length` is an own property of every array. */
function item(value: JsonValue, name: string): JsonValue | undefined {
  return Array.isArray(value) && isPosition(name) ? value[Number(name)] : undefined;
}

function isPosition(name: string): boolean {
  return name.length <= 9 && String(Number.parseInt(name, 10)) === name && !name.startsWith('-');
}
