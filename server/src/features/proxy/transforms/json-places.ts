import type { JsonPathSegment } from '../../../core/expressions/filters/json-path.ts';
import { DomainError } from '../../../core/errors/domain-error.ts';
import { Sensitive } from '../../../core/identity/sensitive.ts';
import { isJsonObject, type JsonValue } from '../../../core/json/json-value.ts';
import type { Steps } from '../../../core/steps/steps.ts';

/** The maximum number of values that one transform finds, and that it looks at on the way. */
const placesMax = 1_000;
const visitsMax = 100_000;
/** The number of values that are looked at before other requests may run. */
const visitsPerStep = 256;

/** A value in a document, with the object or array that holds it. */
export interface JsonPlace {
  readonly parent: object;
  readonly key: string | number;
  readonly value: Sensitive<JsonValue>;
}

/**
 * Finds the values at a path below `holder.root`, following own members only. It pauses, because a proxy has up to forty
 * transforms, and each of them may look at every value of a document.
 */
export function* findPlacesSteps(
  holder: { readonly root: JsonValue },
  path: readonly JsonPathSegment[],
): Steps<JsonPlace[]> {
  let places: JsonPlace[] = [{ parent: holder, key: 'root', value: new Sensitive(holder.root) }];
  let visits = 0;
  for (const segment of path) {
    const next: JsonPlace[] = [];
    for (const [index, { value }] of places.entries()) {
      if (index % visitsPerStep === 0) yield;
      for (const place of placesIn(value.reveal(), segment)) {
        visits += 1;
        if (visits > visitsMax) throw tooMany();
        if (visits % visitsPerStep === 0) yield;
        next.push(place);
      }
    }
    places = next;
  }
  if (places.length > placesMax) throw tooMany();
  return places;
}

function* placesIn(value: JsonValue, segment: JsonPathSegment): Generator<JsonPlace> {
  if (Array.isArray(value)) {
    const list: readonly JsonValue[] = value;
    if (segment.kind === 'wildcard')
      for (const key of list.keys()) yield { parent: list, key, value: new Sensitive(list[key] ?? null) };
    if (segment.kind !== 'index') return;
    const key = segment.index < 0 ? list.length + segment.index : segment.index;
    if (key >= 0 && key < list.length) yield { parent: list, key, value: new Sensitive(list[key] ?? null) };
  } else if (isJsonObject(value)) {
    if (segment.kind === 'wildcard') {
      for (const key of Object.keys(value)) yield { parent: value, key, value: new Sensitive(value[key] ?? null) };
    } else if (segment.kind === 'name' && Object.hasOwn(value, segment.name)) {
      yield { parent: value, key: segment.name, value: new Sensitive(value[segment.name] ?? null) };
    }
  }
}

/** Sets a value in a document that belongs to one call alone. `__proto__` is a member like any other. */
export function setPlace({ parent, key }: Pick<JsonPlace, 'parent' | 'key'>, value: JsonValue): void {
  Object.defineProperty(parent, key, { value, enumerable: true, configurable: true, writable: true });
}

/** Removes a member. An item of an array becomes null, so that the positions of the others stay the same. */
export function removePlace({ parent, key }: Pick<JsonPlace, 'parent' | 'key'>): void {
  if (Array.isArray(parent) || typeof key === 'number') setPlace({ parent, key }, null);
  else Reflect.deleteProperty(parent, key);
}

function tooMany(): DomainError {
  return new DomainError('validation-failed', `A transform of the proxy finds more than ${placesMax} values.`);
}
