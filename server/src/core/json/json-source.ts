import { requestLimits } from '../budget/request-budget.ts';
import { toJsonText } from './json-text.ts';
import type { JsonValue } from './json-value.ts';

/** A string in a document that may contain references, and its position, quotes included. */
export interface TextPlace {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly path: readonly (string | number)[];
}

/**
 * One more than the number of references that a request may have. A document with this many is rejected later if its
 * references are used.
 */
export const textPlacesMax = requestLimits.references + 1;

/**
 * Remembers the original spelling of parts of a document, so that token data can be stored byte for byte as sent. The
 * parser notes only what could not be rebuilt: members named `data`, and strings that used escapes. It also notes the
 * positions of strings with double braces, so that references can be replaced without rewriting the rest of the
 * document.
 */
export class JsonSource {
  readonly #spelledBy = new Map<object, Map<string | number, string>>();
  readonly #places: TextPlace[] = [];
  #document = '';

  /** The whole document as sent. */
  get document(): string {
    return this.#document;
  }

  /** The first strings with double braces, in document order. */
  get textPlaces(): readonly TextPlace[] {
    return this.#places;
  }

  begin(document: string): void {
    this.#document = document;
  }

  note(parent: object, key: string | number, text: string): void {
    const spellings = this.#spelledBy.get(parent) ?? new Map<string | number, string>();
    spellings.set(key, text);
    this.#spelledBy.set(parent, spellings);
  }

  isWanted(text: string): boolean {
    return text.includes('{{') && this.#places.length < textPlacesMax;
  }

  noteText(place: TextPlace): void {
    this.#places.push(place);
  }

  /** Returns the text of `parent[key]` as sent. */
  textOf(parent: object, key: string | number, value: JsonValue): string {
    return this.#spelledBy.get(parent)?.get(key) ?? toJsonText(value);
  }
}
