import pg from 'pg';

export interface SentStatement {
  readonly name?: string;
  readonly text: string;
  readonly values?: readonly unknown[];
}

type Send = (this: pg.Client, statement: SentStatement | string, ...rest: unknown[]) => unknown;

interface Interruption {
  readonly isBefore: (statement: SentStatement) => boolean;
  readonly work: () => Promise<unknown>;
}

/** Records the statements that this process sends to PostgreSQL, and can run work just before a statement is sent. */
export class StatementTap {
  readonly sent: SentStatement[] = [];
  readonly #original = Reflect.get(pg.Client.prototype, 'query') as Send;
  #interruption: Interruption | undefined;

  constructor() {
    const hear = (statement: SentStatement, send: () => unknown) => this.#hear(statement, send);
    const original = this.#original;
    const query: Send = function (statement, ...rest) {
      const send = () => original.call(this, statement, ...rest);
      return hear(typeof statement === 'string' ? { text: statement } : statement, send);
    };
    Reflect.set(pg.Client.prototype, 'query', query);
  }

  /** Holds the next matching statement until the work is done. */
  interrupt(isBefore: (statement: SentStatement) => boolean, work: () => Promise<unknown>): void {
    this.#interruption = { isBefore, work };
  }

  /** Returns the statements sent while `work` ran that contain this text. */
  async during(work: () => Promise<unknown>, text: string): Promise<SentStatement[]> {
    const start = this.sent.length;
    await work();
    return this.sent.slice(start).filter((statement) => statement.text.includes(text));
  }

  close(): void {
    Reflect.set(pg.Client.prototype, 'query', this.#original);
  }

  #hear(statement: SentStatement, send: () => unknown): unknown {
    this.sent.push(statement);
    const interruption = this.#interruption;
    if (interruption === undefined || !interruption.isBefore(statement)) return send();
    this.#interruption = undefined;
    return interruption.work().then(send);
  }
}
