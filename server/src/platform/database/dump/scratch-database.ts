import pg from 'pg';
import { withOwnerSession } from '../connections/owner-session.ts';

/** The prefix of all scratch names. It also identifies databases and roles that were left behind by a killed run. */
const scratchPrefix = 'strongroom_scratch_';
const idBytes = 8;
const passwordBytes = 24;
/** The SQLSTATE for dropping a database that has open connections. */
const objectInUse = '55006';

/** An empty database, and a role whose only privileges are those granted in that database. */
export interface ScratchDatabase {
  readonly ownerUrl: string;
  readonly loaderUrl: string;
  readonly loaderRole: string;
}

/** Creates a database next to the one in the address and drops it after the work. */
export async function withScratchDatabase<T>(
  ownerUrl: string,
  work: (scratch: ScratchDatabase) => Promise<T>,
): Promise<T> {
  const name = `${scratchPrefix}${randomHex(idBytes)}`;
  const password = randomHex(passwordBytes);
  await withClient(ownerUrl, async (client) => {
    await createRole(client, name, password);
    await createDatabase(client, name);
  });
  try {
    const url = new URL(ownerUrl);
    url.pathname = `/${name}`;
    return await work({ ownerUrl: url.href, loaderUrl: withLogin(url, name, password), loaderRole: name });
  } finally {
    await withClient(ownerUrl, async (client) => {
      await dropDatabase(client, name);
      await client.query(`drop role if exists ${name}`);
    });
  }
}

/**
 * Returns the same address for another role. The login is set in the authority and in the query string, because the
 * driver prefers the query string, and an address without a host has nothing else.
 */
function withLogin(address: URL, user: string, password: string): string {
  const url = new URL(address);
  Object.assign(url, { username: user, password });
  url.searchParams.set('user', user);
  url.searchParams.set('password', password);
  return url.href;
}

/**
 * Creates a role that owns nothing and is not a member of any other role. If the run is killed, the login expires after
 * a day.
 */
async function createRole(client: pg.Client, name: string, password: string): Promise<void> {
  const tomorrow = new Date(Date.now() + 24 * 60 * 60_000).toISOString();
  const limits = 'nosuperuser nocreatedb nocreaterole noinherit noreplication nobypassrls connection limit 2';
  await client
    .query(`create role ${name} login password '${password}' ${limits} valid until '${tomorrow}'`)
    .catch((error: unknown) => {
      throw new Error(
        'A role for loading the dump cannot be created. The role in STRONGROOM_DATABASE_OWNER_URL needs CREATEROLE: "alter role … createrole".',
        { cause: error },
      );
    });
}

async function createDatabase(client: pg.Client, name: string): Promise<void> {
  try {
    await client.query(`create database ${name} template template0 encoding 'UTF8'`);
    await client.query(`revoke all on database ${name} from public`);
    await client.query(`grant connect on database ${name} to ${name}`);
  } catch (error) {
    await client.query(`drop role ${name}`);
    throw new Error(
      'A scratch database cannot be created. The role in STRONGROOM_DATABASE_OWNER_URL needs CREATEDB: "alter role … createdb".',
      { cause: error },
    );
  }
}

/**
 * Drops a database. A plain drop cancels a conflicting autovacuum and waits up to five seconds for sessions to end. A
 * drop with force first requires the right to terminate the remaining sessions, which a role that is not a superuser
 * lacks for an autovacuum.
 */
async function dropDatabase(client: pg.Client, name: string): Promise<void> {
  await client.query(`drop database if exists ${name}`).catch(async (error: unknown) => {
    if (!(error instanceof pg.DatabaseError) || error.code !== objectInUse) throw error;
    await client.query(`drop database if exists ${name} with (force)`);
  });
}

function randomHex(bytes: number): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString('hex');
}

function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const variable = 'STRONGROOM_DATABASE_OWNER_URL';
  return withOwnerSession(url, { applicationName: 'strongroom backup', variable }, work);
}
