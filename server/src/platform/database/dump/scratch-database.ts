import pg from 'pg';
import { withOwnerSession } from '../connections/owner-session.ts';

/** Prefix of the names, including those left behind by a killed run. */
const scratchPrefix = 'strongroom_scratch_';
const idBytes = 8;
const passwordBytes = 24;
/** What PostgreSQL says of a database that somebody is connected to. */
const objectInUse = '55006';

/** An empty database, and a role with no privileges on the server beyond those granted there. */
export interface ScratchDatabase {
  readonly ownerUrl: string;
  readonly loaderUrl: string;
  readonly loaderRole: string;
}

/** Creates a database next to the one in the address, for the duration of the work. */
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
 * The same address for another role. The driver prefers the query string, so it is set in both places; an address without a
 * host has only the query.
 */
function withLogin(address: URL, user: string, password: string): string {
  const url = new URL(address);
  Object.assign(url, { username: user, password });
  url.searchParams.set('user', user);
  url.searchParams.set('password', password);
  return url.href;
}

/** A member of nothing and owner of nothing, for a day at most if the run is killed. */
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
 * PostgreSQL itself ends an autovacuum that is in the way, and waits five seconds for sessions that are about to end. With force it asks
 * for the right to end them first, which a role that is no superuser does not have for an autovacuum.
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
