import type { Db } from 'pg-boss';
import { reasonOf } from '../../core/errors/operator-error.ts';
import { nameOf } from '../../core/errors/thrown.ts';
import { membersOf } from '../../core/objects/members-of.ts';
import type { ConnectionOrigin } from '../database/connections/connection-origin.ts';
import { PostgresListener } from '../database/connections/postgres-listener.ts';
import type { Database, SqlValue } from '../database/database.ts';
import { findOutage, StatementError } from '../database/database-error.ts';

const listening = { applicationName: 'strongroom jobs', heartbeatMs: 5_000, patienceMs: 2_000 };

export interface ListenAddress {
  readonly url: string;
  /** Shared with other connections of this process to the same address. */
  readonly origin?: ConnectionOrigin;
}

/**
 * The connection of pg-boss to PostgreSQL. Its statements run on our pool in the role of a worker, so they have our
 * time limits and notice a replaced primary. Its listener is ours as well.
 */
export class JobDatabase implements Db {
  readonly #database: Database;
  readonly #address: ListenAddress;
  readonly #onNotified: (queue: string) => void;

  /** The login of the pool must be a member of `strongroom_worker`. Any login may listen at the address. */
  constructor(database: Database, address: ListenAddress, onNotified: (queue: string) => void = () => undefined) {
    this.#database = database;
    this.#address = address;
    this.#onNotified = onNotified;
  }

  async executeSql(text: string, values: unknown[] = []): Promise<{ rows: object[] }> {
    // A text with several statements cannot have parameters.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- pg-boss passes what node-postgres accepts.
    const statement = values.length === 0 ? { text: inside(text) } : { text, values: values as SqlValue[] };
    try {
      return { rows: await this.#database.forWorker((tx) => tx.query<object>(statement)) };
    } catch (error) {
      throw error instanceof Error ? Object.assign(error, { jobFailure: describe(error) }) : error;
    }
  }

  async listen(
    channel: string,
    onNotification: (payload: string) => void,
    onReconnect: () => void,
  ): Promise<{ close(): Promise<void> }> {
    const onPayload = (queue: string) => {
      onNotification(queue);
      this.#onNotified(queue);
    };
    const events = { onConnected: onReconnect, onPayload };
    const listener = new PostgresListener({ ...listening, ...this.#address, channel }, events);
    await listener.start();
    return { close: () => listener.stop() };
  }
}

/** What the log says about a failed statement of pg-boss. */
export interface JobFailure {
  /** True if the database was unreachable, which is logged elsewhere. */
  readonly isOutage: boolean;
  readonly reason: string;
}

function describe(error: Error): JobFailure {
  // The message of a refused statement consists of its code and the name of a constraint.
  const reason = error instanceof StatementError ? error.message : reasonOf(error);
  return { isOutage: findOutage(error) !== undefined, reason };
}

/**
 * Reads what was noted about an error. pg-boss reports copies of errors that are objects without a class, so their
 * class can no longer be asked.
 */
export function readFailure(error: unknown): JobFailure {
  const noted = membersOf(membersOf(error)['jobFailure']);
  if (typeof noted['reason'] === 'string') return { isOutage: noted['isOutage'] === true, reason: noted['reason'] };
  return { isOutage: false, reason: nameOf(error) };
}

/** Removes the transaction that pg-boss puts around several statements, because `forWorker` begins one of its own. */
function inside(text: string): string {
  return text.replace(/^\s*BEGIN;/, '').replace(/COMMIT;\s*$/, '');
}
