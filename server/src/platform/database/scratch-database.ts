import pg from 'pg';

/** The roles that a vault's schema grants to. They belong to the whole server; a dump does not bring them along. */
const roles = ['strongroom_app', 'strongroom_system', 'strongroom_portal', 'strongroom_sealer'] as const;

/** Names that a run which was killed has left behind begin like this. */
const scratchPrefix = 'strongroom_scratch_';

/** Makes an empty database beside the one that the address names, for as long as the work takes. */
export async function withScratchDatabase<T>(ownerUrl: string, work: (url: string) => Promise<T>): Promise<T> {
  const name = `${scratchPrefix}${crypto.randomUUID().replaceAll('-', '').slice(0, 16)}`;
  await withClient(ownerUrl, async (client) => {
    for (const role of roles) await ensureRole(client, role);
    await client.query(`create database ${name} template template0 encoding 'UTF8'`).catch((error: unknown) => {
      throw new Error(
        'A scratch database cannot be created. The role of STRONGROOM_DATABASE_OWNER_URL needs CREATEDB: "alter role … createdb".',
        { cause: error },
      );
    });
  });
  try {
    const url = new URL(ownerUrl);
    url.pathname = `/${name}`;
    return await work(url.href);
  } finally {
    await withClient(ownerUrl, (client) => client.query(`drop database if exists ${name} with (force)`));
  }
}

/** As the first migrations do it: a role that cannot log in and owns nothing. */
async function ensureRole(client: pg.Client, role: (typeof roles)[number]): Promise<void> {
  await client.query(
    `do $$ begin if to_regrole('${role}') is null then create role ${role} nologin; grant ${role} to current_user; end if; end $$`,
  );
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 10_000,
    application_name: 'strongroom backup',
  });
  await client.connect().catch((error: unknown) => {
    throw new Error(
      'The database server cannot be reached. Check STRONGROOM_DATABASE_OWNER_URL and that PostgreSQL runs.',
      { cause: error },
    );
  });
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
