import pg from 'pg';
import { DomainError } from '../../core/errors/domain-error.ts';

/** Classes of SQLSTATE that say "not now" rather than "not so": connection, transaction state, resources, shutdown. */
const transientClasses = ['08', '25', '53', '57'];
const lockNotAvailable = '55P03';
/** Raised by `require_open_keys`: the record was sealed under a version that takes none any more. */
const keyVersionClosed = 'SR001';

/**
 * The server's own refusal of a statement, with nothing that came from a row: PostgreSQL's messages and details quote
 * values, and those must not reach a log.
 */
export class StatementError extends Error {
  readonly sqlState: string;
  readonly constraint: string | undefined;

  constructor(sqlState: string, constraint: string | undefined) {
    super(`PostgreSQL refused a statement (SQLSTATE ${sqlState}${constraint === undefined ? '' : `, ${constraint}`}).`);
    this.name = 'StatementError';
    this.sqlState = sqlState;
    this.constraint = constraint;
  }
}

/** Turns whatever the driver throws into "try again" (with the connection given up) or a refusal of the statement. */
export function toDatabaseError(error: unknown): Error {
  if (error instanceof DomainError || error instanceof StatementError) return error;
  if (error instanceof pg.DatabaseError && error.code !== undefined) {
    const refusal = new StatementError(error.code, error.constraint);
    if (error.code === keyVersionClosed) return keysChanging(refusal);
    return isTransient(error.code) ? unavailable(refusal) : refusal;
  }
  return unavailable(error);
}

/** The state of the connection, and perhaps of the last commit, is unknown. */
export function isConnectionLost(error: unknown): boolean {
  return error instanceof DomainError && error.code === 'overloaded';
}

/** As after a lost connection, unless it was PostgreSQL itself that refused: then nothing was written. */
export function isOutcomeUnknown(error: unknown): boolean {
  return isConnectionLost(error) && !(error instanceof Error && error.cause instanceof StatementError);
}

const uncertain = new WeakSet<object>();

/** Notes of an error that what was asked for may have been committed: the connection broke after it was sent. */
export function markUncertain(error: unknown): void {
  if (typeof error === 'object' && error !== null) uncertain.add(error);
}

/** Whether a request that failed so may have been done all the same. */
export function mayHaveHappened(error: unknown): boolean {
  return typeof error === 'object' && error !== null && uncertain.has(error);
}

const rolledBack = new WeakSet<object>();

/** Notes of an error that its transaction was rolled back, so that nothing of it was written. */
export function markRolledBack(error: unknown): void {
  if (typeof error === 'object' && error !== null) rolledBack.add(error);
}

/** Whether it is certain that nothing was written; an error after the commit leaves that open or says the opposite. */
export function wasRolledBack(error: unknown): boolean {
  return error instanceof StatementError || (typeof error === 'object' && error !== null && rolledBack.has(error));
}

/** The statement came after one that had failed already (in_failed_sql_transaction). */
export function isAborted(error: unknown): boolean {
  return error instanceof Error && error.cause instanceof StatementError && error.cause.sqlState === '25P02';
}

/** A deadlock or serialization failure: rolled back for certain, and worth another try. */
export function isLostRace(error: unknown): boolean {
  return error instanceof StatementError && error.sqlState.startsWith('40');
}

/** PostgreSQL warns, and commits all the same, when a wait for the synchronous standby is cancelled. */
export function isUnreplicatedCommit(notice: {
  readonly severity?: string | undefined;
  readonly routine?: string | undefined;
}): boolean {
  return notice.severity === 'WARNING' && notice.routine === 'SyncRepWaitForLSN';
}

function isTransient(sqlState: string): boolean {
  return sqlState === lockNotAvailable || transientClasses.includes(sqlState.slice(0, 2));
}

/** This server has not heard of a new key yet, and will any moment. */
function keysChanging(cause: unknown): DomainError {
  return new DomainError('key-service-unavailable', 'The keys of this tenant are being rotated. Try again shortly.', {
    cause,
  });
}

function unavailable(cause: unknown): DomainError {
  return new DomainError('overloaded', 'The database did not respond in time. Try again shortly.', { cause });
}
