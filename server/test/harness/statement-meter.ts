import pg from 'pg';

/** The longest statement that a process sent to PostgreSQL during a measurement. */
export interface StatementReport {
  /** The bytes of its text, without parameter values. */
  readonly statementBytes: number;
  /** The beginning of its text. */
  readonly statement: string;
}

type Send = (this: pg.Client, statement: { readonly text: string } | string, ...rest: unknown[]) => unknown;

const shownLength = 200;

/** Measures the text of every statement that this process sends. Unlike `StatementTap`, it does not store them. */
export class StatementMeter {
  #longest: StatementReport = { statementBytes: 0, statement: '' };

  constructor() {
    const original = Reflect.get(pg.Client.prototype, 'query') as Send;
    const note = (text: string) => this.#note(text);
    const query: Send = function (statement, ...rest) {
      note(typeof statement === 'string' ? statement : statement.text);
      return original.call(this, statement, ...rest);
    };
    Reflect.set(pg.Client.prototype, 'query', query);
  }

  begin(): void {
    this.#longest = { statementBytes: 0, statement: '' };
  }

  end(): StatementReport {
    return this.#longest;
  }

  #note(text: string): void {
    const statementBytes = Buffer.byteLength(text);
    if (statementBytes <= this.#longest.statementBytes) return;
    this.#longest = { statementBytes, statement: text.replaceAll(/\s+/g, ' ').slice(0, shownLength) };
  }
}
