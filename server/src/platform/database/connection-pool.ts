import pg from 'pg';
import { withoutApplicationName } from './connection-address.ts';
import type { PlaceWatch } from './place-watch.ts';
import { applicationRole, requireFitSession, sessionOptions } from './session-check.ts';
import { silenceMs } from './statement.ts';

export interface PoolOptions {
  readonly url: string;
  readonly connectionsMax: number;
  readonly acquireTimeoutMs: number;
  readonly statementTimeoutMs: number;
  readonly applicationName: string;
  /** The nodes of the vault that this process knows, if it may only see tokens while it knows all. */
  readonly knownNodes?: readonly string[] | undefined;
  /** Whether writes are refused while no synchronous standby is attached; they are not by default. */
  readonly requiresStandby?: boolean | undefined;
}

/** Opens no connection before it is needed. Each is checked before it is used. */
export function openPool(options: PoolOptions, place: PlaceWatch): pg.Pool {
  const { statementTimeoutMs, requiresStandby = false } = options;
  const session = { role: applicationRole, statementTimeoutMs, idleTimeoutMs: statementTimeoutMs };
  return new pg.Pool({
    connectionString: withoutApplicationName(options.url),
    max: options.connectionsMax,
    connectionTimeoutMillis: options.acquireTimeoutMs,
    idleTimeoutMillis: 60_000,
    application_name: options.applicationName,
    // No just-in-time compilation: it takes longer than the short statements it is meant to speed up.
    // Set in the startup packet, so a connection never has more privileges than it should.
    // A standby that is required is waited for, whatever the default of the server is.
    options: `${sessionOptions(session)} -c jit=off${requiresStandby ? ' -c synchronous_commit=on' : ''}`,
    // Checked once, before the connection is used: something between here and PostgreSQL may drop options.
    verify: (client, finish) =>
      void requireFitSession(client, session, options.knownNodes).then((found) => {
        place.note(found);
        finish();
      }, finish),
    query_timeout: statementTimeoutMs + silenceMs,
    keepAlive: true,
    // Statements are sent without waiting for the previous response.
    pipeline: true,
  });
}
