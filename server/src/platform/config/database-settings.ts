import { group, mapped, optionalSetting, setting, settingWithDefault, type ValueOf } from './reading.ts';
import { parseBoolean, urlWith, wholeNumber } from './setting-parsers.ts';

const parsePostgresUrl = urlWith('postgres:', 'postgresql:');

const given = group({
  url: setting('STRONGROOM_DATABASE_URL', parsePostgresUrl, {
    expectation: 'the address of a PostgreSQL database, version 15 or newer',
    example: 'postgresql://strongroom:secret@db.internal:5432/strongroom',
  }),
  /** The address of the role that changes the schema and takes jobs from the queue. */
  ownerUrl: optionalSetting('STRONGROOM_DATABASE_OWNER_URL', parsePostgresUrl, {
    expectation: 'the address of the same database for the role that owns its schema',
    example: 'postgresql://strongroom_owner:secret@db.internal:5432/strongroom',
    otherwise: 'that of `STRONGROOM_DATABASE_URL`',
  }),
  connectionsMax: settingWithDefault('STRONGROOM_DATABASE_CONNECTIONS', wholeNumber(1, 100), 8, {
    expectation: 'how many database connections each server may open, from 1 to 100',
  }),
  /** The time limit of a statement. A request waits for a connection for at most half of it. */
  timeoutSeconds: settingWithDefault('STRONGROOM_DATABASE_TIMEOUT_SECONDS', wholeNumber(2, 600), 10, {
    expectation:
      'how long a database statement may take, from 2 to 600 seconds; waiting for a connection may take half of that',
  }),
  /** True if writes are rejected while no synchronous standby is attached. */
  requiresStandby: settingWithDefault('STRONGROOM_REQUIRE_SYNCHRONOUS_STANDBY', parseBoolean, false, {
    expectation: 'true or false: whether to refuse writes while no synchronous standby is attached to the database',
    example: 'true',
  }),
});

/** The addresses and limits of the database. The two addresses are equal if a single role does everything. */
export const database = mapped(given, ({ ownerUrl, ...rest }) =>
  Object.freeze({ ...rest, ownerUrl: ownerUrl ?? rest.url }),
);
export type DatabaseConfig = ValueOf<typeof database>;
