import pg from 'pg';
import { DomainError } from '../../core/errors/domain-error.ts';
import { otherCell } from '../../core/identity/other-cell.ts';
import { GivenUpError } from '../waiting/deadline.ts';
import { type Outage, silent, toOutage, unserved } from './connections/outage.ts';

/**
 * SQLSTATE classes that mean "not now" rather than "not valid": connection, transaction state, resources, shutdown and
 * system errors.
 */
const transientClasses = ['08', '25', '53', '57', '58'];
const lockNotAvailable = '55P03';
/**
 * SQLSTATE prefixes that leave a commit's outcome unknown. A full or broken disk crashes PostgreSQL after the commit
 * was written. An operator or a crash can terminate a session at any step, which may be after the commit.
 */
const unknownCommits = ['53', '57P0', '58', 'XX'];
/** Raised by `require_open_keys` if the record was encrypted with a key version that has been closed. */
const keyVersionClosed = 'SR001';
/** Raised by `require_synchronous_standby` if the commit would exist on the primary only. */
const standbyMissing = 'SR005';
/** Raised by `refuse_closed_tenant` while a tenant is handed over to another cell, or before it has arrived. */
const tenantMoving = 'SR006';
/** Raised by `refuse_closed_tenant` for a tenant that has left. The message is the name of its cell. */
const tenantMoved = 'SR007';
/** The SQLSTATE of a change in a database that is read-only (read_only_sql_transaction). */
const readOnly = '25006';

/**
 * An error that PostgreSQL raised for a statement. It contains no row data: PostgreSQL's messages and details quote
 * values, which must not reach a log.
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

/**
 * Turns anything that the driver throws into either a statement error or an error that tells the caller to retry. In
 * the second case, the connection is closed.
 */
export function toDatabaseError(error: unknown): Error {
  if (error instanceof DomainError || error instanceof StatementError) return error;
  if (error instanceof pg.DatabaseError && error.code !== undefined) {
    const refusal = new StatementError(error.code, error.constraint);
    if (error.code === keyVersionClosed) return keysChanging(refusal);
    if (error.code === standbyMissing) return withoutStandby(refusal);
    if (error.code === readOnly) return withoutChanges(refusal);
    if (error.code === tenantMoving) return movingTenant(refusal);
    if (error.code === tenantMoved) return otherCell(error.message);
    return isTransient(error.code) ? unavailable(refusal, toOutage(error)) : refusal;
  }
  return unavailable(error, toOutage(error));
}

/**
 * Turns a failed connection attempt into an error that tells the caller to retry. Whatever the reason is, such as a
 * full disk or a wrong login, the request is not to blame.
 */
export function toConnectionError(error: unknown): Error {
  if (error instanceof DomainError) return error;
  const cause =
    error instanceof pg.DatabaseError && error.code !== undefined ? new StatementError(error.code, undefined) : error;
  return unavailable(cause, toOutage(error) ?? unserved);
}

/** Returns true if the state of the connection, and perhaps of the last commit, is unknown. */
export function isConnectionLost(error: unknown): boolean {
  return error instanceof DomainError && error.code === 'overloaded' && !(error instanceof GivenUpError);
}

/**
 * Returns true if the connection was lost and the outcome is unknown. If PostgreSQL itself raised the error, nothing
 * was written.
 */
export function isOutcomeUnknown(error: unknown): boolean {
  return isConnectionLost(error) && refusalIn(error) === undefined;
}

/** Returns true if a commit raised this error and may still have happened. */
export function isCommitUnknown(error: unknown): boolean {
  if (isOutcomeUnknown(error)) return true;
  const sqlState = refusalIn(error)?.sqlState;
  return sqlState !== undefined && unknownCommits.some((prefix) => sqlState.startsWith(prefix));
}

function refusalIn(error: unknown): StatementError | undefined {
  if (error instanceof StatementError) return error;
  return error instanceof Error && error.cause instanceof StatementError ? error.cause : undefined;
}

/**
 * Returns true if there was no response at all, not even the error with which PostgreSQL cancels a statement that
 * exceeds its time limit.
 */
export function isSilence(error: unknown): boolean {
  return findOutage(error)?.reason === silent;
}

const uncertain = new WeakSet<object>();

/** Marks an error whose work may have been committed, because the connection broke after the work was sent. */
export function markUncertain(error: unknown): void {
  if (typeof error === 'object' && error !== null) uncertain.add(error);
}

/** Returns true if a request that failed with this error may have taken effect. */
export function mayHaveHappened(error: unknown): boolean {
  return typeof error === 'object' && error !== null && uncertain.has(error);
}

const rolledBack = new WeakSet<object>();

/** Marks an error whose transaction was rolled back, so that nothing was written. */
export function markRolledBack(error: unknown): void {
  if (typeof error === 'object' && error !== null) rolledBack.add(error);
}

/**
 * Returns true if it is certain that nothing was written. An error during or after the commit leaves that uncertain.
 */
export function wasRolledBack(error: unknown): boolean {
  if (mayHaveHappened(error)) return false;
  return error instanceof StatementError || (typeof error === 'object' && error !== null && rolledBack.has(error));
}

/** Returns true if the statement followed one that had already failed (in_failed_sql_transaction). */
export function isAborted(error: unknown): boolean {
  return refusalIn(error)?.sqlState === '25P02';
}

/** Returns true if PostgreSQL cancelled the statement because it exceeded its time limit (query_canceled). */
export function isOutOfTime(error: unknown): boolean {
  return refusalIn(error)?.sqlState === '57014';
}

/** Returns true if the statement waited for a lock longer than its limit (lock_not_available). */
export function isLockTimeout(error: unknown): boolean {
  return refusalIn(error)?.sqlState === lockNotAvailable;
}

/** Returns true for a deadlock or a serialization failure. The work was certainly rolled back and can be retried. */
export function isLostRace(error: unknown): boolean {
  return error instanceof StatementError && error.sqlState.startsWith('40');
}

/**
 * Returns true for the warning that a wait for the synchronous standby was cancelled. PostgreSQL still commits in that
 * case.
 */
export function isUnreplicatedCommit(notice: {
  readonly severity?: string | undefined;
  readonly routine?: string | undefined;
}): boolean {
  return notice.severity === 'WARNING' && notice.routine === 'SyncRepWaitForLSN';
}

/**
 * Returns the error for a commit that may not have reached a standby. The row may not survive a failover, so it is not
 * reported as stored.
 */
export function unconfirmed(): DomainError {
  const error = new DomainError(
    'overloaded',
    'The write was not confirmed by the standby database. Try again shortly.',
  );
  markUncertain(error);
  return error;
}

/** Returns true if no standby is attached. The caller's data is not to blame, and all other writes are rejected too. */
export function isStandbyMissing(error: unknown): boolean {
  return error instanceof DomainError && error.code === 'standby-missing';
}

function isTransient(sqlState: string): boolean {
  return sqlState === lockNotAvailable || transientClasses.includes(sqlState.slice(0, 2));
}

function movingTenant(cause: unknown): DomainError {
  return new DomainError('tenant-moving', 'The tenant is being moved to another cell. Try again shortly.', { cause });
}

/** Returns the error for a write by a server that has not learned of a new key yet, but soon will. */
function keysChanging(cause: unknown): DomainError {
  return new DomainError('key-service-unavailable', 'The keys of this tenant are being rotated. Try again shortly.', {
    cause,
  });
}

function withoutStandby(cause: unknown): DomainError {
  return new DomainError(
    'standby-missing',
    'No synchronous standby is attached to the database, and this vault requires one. Try again later. Operators: see docs/runbooks/no-synchronous-standby.md.',
    { cause },
  );
}

/** Returns the error for a change that PostgreSQL refuses until an operator makes the database writable again. */
function withoutChanges(cause: unknown): DomainError {
  const message =
    'The database is read-only at the moment. Try again later. Operators: see docs/runbooks/database-down.md.';
  return new DomainError('overloaded', message, { cause });
}

const outages = new WeakMap<DomainError, Outage>();

/**
 * Returns why the database could not be reached, if that caused this error. The outage is already logged, so the error
 * needs no log line of its own.
 */
export function findOutage(error: unknown): Outage | undefined {
  return error instanceof DomainError ? outages.get(error) : undefined;
}

function unavailable(cause: unknown, outage: Outage | undefined): DomainError {
  const error = new DomainError('overloaded', 'The database did not respond in time. Try again shortly.', { cause });
  if (outage !== undefined) outages.set(error, outage);
  return error;
}
