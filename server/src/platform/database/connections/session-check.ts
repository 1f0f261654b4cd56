import type pg from 'pg';
import { OperatorError } from '../../../core/errors/operator-error.ts';

/** The role that every connection of the vault uses. */
export const applicationRole = 'strongroom_app';

/** Thrown for a connection that must not be used. The message is one line that says what to do. */
export class UnfitSessionError extends OperatorError {}

/** The settings that were requested in the startup packet and must therefore be in effect. */
export interface ExpectedSession {
  readonly role: string;
  readonly statementTimeoutMs: number;
  readonly idleTimeoutMs: number;
}

interface Session {
  readonly backendId: number;
  readonly isStandby: boolean;
  readonly role: string;
  readonly statementTimeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly hasTenant: boolean;
  readonly origin: string;
}

const sessionText = `select pg_backend_pid() as "backendId", pg_is_in_recovery() as "isStandby", current_user::text as role,
  extract(epoch from current_setting('statement_timeout')::interval)::float8 * 1000 as "statementTimeoutMs",
  extract(epoch from current_setting('idle_in_transaction_session_timeout')::interval)::float8 * 1000 as "idleTimeoutMs",
  coalesce(current_setting('app.tenant_id', true), '') <> '' as "hasTenant",
  concat_ws('/', extract(epoch from pg_postmaster_start_time()), (select oid from pg_database where datname = current_database())) as origin`;

/**
 * Rejects a new connection that is not a dedicated session on a primary. A pooler or proxy between the vault and
 * PostgreSQL can silently drop the startup options, and with them the role that row-level security depends on. Returns
 * the origin of the session. It differs between two servers, and changes when a server is restarted or its database
 * replaced.
 */
export async function requireOwnSession(client: pg.ClientBase, expected?: ExpectedSession): Promise<string> {
  const { rows } = await client.query<Session>(sessionText);
  const [session] = rows;
  // PostgreSQL sends its process id when a connection starts. A pooler sends a made-up one instead, in every pooling
  // mode.
  if (session === undefined || session.backendId !== announcedBackend(client)) {
    throw new UnfitSessionError(
      'The database address points to a connection pooler such as PgBouncer, which drops roles, timeouts and notifications. Point STRONGROOM_DATABASE_URL and STRONGROOM_DATABASE_OWNER_URL to PostgreSQL itself: the vault has its own connection pool.',
    );
  }
  if (session.isStandby) {
    throw new UnfitSessionError(
      'The database is a standby (pg_is_in_recovery() is true), which is read-only. Point STRONGROOM_DATABASE_URL to the primary, or promote this server.',
    );
  }
  if (expected !== undefined && !isAsExpected(session, expected)) {
    throw new UnfitSessionError(
      `A new database connection does not have the role ${expected.role} and the timeouts that the vault requested when connecting. Something between the vault and PostgreSQL changes startup options: remove it, or point STRONGROOM_DATABASE_URL to PostgreSQL itself.`,
    );
  }
  return session.origin;
}

/** Returns the startup options for the expected session. */
export function sessionOptions({ role, statementTimeoutMs, idleTimeoutMs }: ExpectedSession): string {
  return `-c role=${role} -c statement_timeout=${statementTimeoutMs} -c idle_in_transaction_session_timeout=${idleTimeoutMs}`;
}

function isAsExpected(session: Session, expected: ExpectedSession): boolean {
  return (
    session.role === expected.role &&
    session.statementTimeoutMs === expected.statementTimeoutMs &&
    session.idleTimeoutMs === expected.idleTimeoutMs &&
    // A new session belongs to no tenant.
    !session.hasTenant
  );
}

/**
 * Returns the process id that PostgreSQL announced. The driver keeps it to cancel statements, but its type declarations
 * do not include it.
 */
function announcedBackend(client: pg.ClientBase): unknown {
  return 'processID' in client ? client.processID : undefined;
}
