import type { SqlValue } from './database.ts';

/** Collects the values of a statement; SQL text is made of our own words and `$n` only. */
export class Parameters {
  readonly values: SqlValue[];

  constructor(...values: SqlValue[]) {
    this.values = values;
  }

  /** The placeholder of one more value. */
  add(value: SqlValue): string {
    return `$${this.values.push(value)}`;
  }
}
