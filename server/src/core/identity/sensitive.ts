const placeholder = '[sensitive]';

/**
 * Plaintext that passes through the process. It prints as a placeholder if it is logged, thrown, inspected or
 * serialised by accident. The value is accessible only through `reveal()`, so every use can be found by searching for
 * that name.
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
