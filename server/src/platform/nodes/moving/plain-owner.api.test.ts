import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../../test/harness/test-database.ts';
import { migrate } from '../../database/migrator.ts';
import { addNode } from '../node-adding-store.ts';
import { DrawerMoving } from './drawer-moving.ts';

const role = `owner_${randomBytes(4).toString('hex')}`;
const tenantId = crypto.randomUUID();
const ids = Array.from({ length: 20 }, () => crypto.randomUUID());
const databases: TestDatabase[] = [];

/** As an operator sets it up: roles that own the schemas, and are no superusers. */
beforeAll(async () => {
  await asAdmin(`create role ${role} login createrole password '${role}'`);
  for (const name of [`${role}_home`, `${role}_east`]) {
    await asAdmin(`create database ${name} owner ${role} template template1`);
    const url = new URL(inject('postgresUrl'));
    url.username = role;
    url.password = role;
    url.pathname = name;
    databases.push(openTestDatabase(url.href, () => asAdmin(`drop database ${name} with (force)`)));
    await migrate(url.href);
  }
});
afterAll(async () => {
  for (const database of databases) await database.drop();
  await asAdmin(`drop role ${role}`);
});

async function asAdmin(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: inject('postgresUrl') });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

/** As servers do, with the rights of servers. */
async function asServer(database: TestDatabase | undefined, ...texts: string[]): Promise<unknown[]> {
  const client = await database?.owner.connect();
  await client?.query(`begin; set local role strongroom_app; set local app.tenant_id = '${tenantId}'`);
  let rows: unknown[] = [];
  for (const text of texts) rows = (await client?.query({ text, rowMode: 'array' }))?.rows ?? [];
  await client?.query('commit');
  client?.release();
  return rows.flat();
}

it('moves drawers as an owner whom row-level security holds as well', async () => {
  const [home, east] = databases;
  const nodes = [
    { name: 'home', ownerUrl: home?.url ?? '' },
    { name: 'east', ownerUrl: east?.url ?? '' },
  ] as const;
  // One that is a vault of its own is left alone, though its owner sees no tenant in it.
  await asServer(east, `insert into tenants (id, name, type) values ('${tenantId}', 'Other', 'test')`);
  await expect(addNode(...nodes)).rejects.toThrow('a vault of its own');
  await asServer(east, `delete from tenants where id = '${tenantId}'`);
  await addNode(...nodes);
  await asServer(
    home,
    `insert into tenants (id, name, type) values ('${tenantId}', 'Test', 'test')`,
    `insert into tokens (tenant_id, id, type, data, containers, shelf, terms)
      select '${tenantId}', unnest('{${ids.join(',')}}'::text[]), 'token', '\\x00ff', '{/}', 'token /', '{"\\\\x01","\\\\x02"}'`,
    `insert into token_terms (tenant_id, term, created_at, token_id) select tenant_id, unnest(terms), created_at, id from tokens`,
    `insert into token_cvcs (tenant_id, token_id, token_version, sealed, expires_at) select tenant_id, id, 1, '\\x01', now() from tokens`,
    `insert into token_counts (tenant_id, type, containers, slot, tokens) values ('${tenantId}', 'token', '{/}', 3, ${ids.length})`,
  );
  const numbers = `select array[(select count(*) from tokens), (select count(*) from token_terms),
    (select count(*) from token_cvcs), (select sum(tokens) from token_counts), (select sum(tokens) from token_totals)]::text`;
  expect(await asServer(home, numbers)).toEqual(['{20,40,20,20,20}']);
  await DrawerMoving.with({ nodes }, (moving) => moving.move({ from: 'home', to: 'east' }));
  expect(await asServer(home, numbers)).toEqual(['{0,0,0,0,0}']);
  expect(await asServer(east, numbers)).toEqual(['{20,40,20,20,20}']);
  expect(new Set(await asServer(east, 'select id from tokens'))).toEqual(new Set(ids));
});
