import { allOf, mapped, optional, type Reading, required } from './reading.ts';
import * as settings from './settings.ts';

export interface DatabaseConfig {
  readonly url: string;
  /**
   * The address of the role that changes the schema and takes jobs from the queue. It equals `url` if a single role
   * does everything.
   */
  readonly ownerUrl: string;
  readonly connectionsMax: number;
  /** The time limit of a statement. A request waits for a connection for at most half of it. */
  readonly timeoutSeconds: number;
  /** True if writes are rejected while no synchronous standby is attached. The default is false. */
  readonly requiresStandby?: boolean | undefined;
}

/** Reads the addresses and limits of the database. */
export const database: Reading<DatabaseConfig> = mapped(
  allOf<Omit<DatabaseConfig, 'ownerUrl'> & { readonly ownerUrl: string | undefined }>({
    url: required(settings.databaseUrl),
    ownerUrl: optional(settings.databaseOwnerUrl),
    connectionsMax: required(settings.databaseConnections),
    timeoutSeconds: required(settings.databaseTimeoutSeconds),
    requiresStandby: required(settings.requireSynchronousStandby),
  }),
  ({ ownerUrl, ...rest }) => Object.freeze({ ...rest, ownerUrl: ownerUrl ?? rest.url }),
);
