import { toJsonText } from './json-text.ts';
import type { JsonValue } from './json-value.ts';

/**
 * Remembers how parts of a document were spelled, so that token data can be stored byte for byte as it was sent.
 * The parser notes only what could not be rebuilt: members named `data`, and strings that used escapes.
 */
export class JsonSource {
  readonly #spelledBy = new WeakMap<object, Map<string | number, string>>();

  note(parent: object, key: string | number, text: string): void {
    const spellings = this.#spelledBy.get(parent) ?? new Map<string | number, string>();
    spellings.set(key, text);
    this.#spelledBy.set(parent, spellings);
  }

  /** The text of `parent[key]` as it was sent. */
  textOf(parent: object, key: string | number, value: JsonValue): string {
    return this.#spelledBy.get(parent)?.get(key) ?? toJsonText(value);
  }
}
