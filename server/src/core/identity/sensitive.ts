const placeholder = '[sensitive]';

/**
 * A plaintext that passes through the process. It prints as a placeholder if it is logged, thrown, inspected or
 * serialised by accident. The only way to the value is `reveal()`, so every use can be found by searching for it.
 */
export class Sensitive<T> {
  readonly #value: T;

  constructor(value: T) {
    this.#value = value;
  }

  reveal(): T {
    return this.#value;
  }

  toString(): string {
    return placeholder;
  }

  toJSON(): string {
    return placeholder;
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return placeholder;
  }
}
