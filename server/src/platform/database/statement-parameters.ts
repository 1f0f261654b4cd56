import type { SqlValue } from './database.ts';

/** Collects the values of a statement. Its SQL text consists only of constant text and `$n` placeholders. */
export class Parameters {
  readonly values: SqlValue[];

  constructor(...values: SqlValue[]) {
    this.values = values;
  }

  /** Adds a value and returns its placeholder. */
  add(value: SqlValue): string {
    return `$${this.values.push(value)}`;
  }
}
