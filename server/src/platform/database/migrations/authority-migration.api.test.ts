import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { askPortal, signInAs, type TenantPerson } from '../../../../test/harness/tenant-people.ts';
import { type TestTenant, TestVault } from '../../../../test/harness/test-vault.ts';
import { permissionsOf } from '../../../core/access/permission.ts';
import { migrationsDirectory } from './migration-files.ts';

// Migration 39 determines on whose authority the applications and keys from earlier versions exist. These tests cover
// every kind of author.

let vault: TestVault;
let tenant: TestTenant;
const people = {} as Record<'OWNER' | 'ADMIN', TenantPerson>;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  people.ADMIN = await signInAs(vault, tenant, 'ADMIN');
  people.OWNER = await signInAs(vault, tenant, 'OWNER');
});
afterAll(() => vault.stop());

interface Made {
  readonly id: string;
  readonly key: string;
}
const managing = { name: 'Managing', type: 'management', permissions: permissionsOf('management') };
const lesser = { ...managing, permissions: managing.permissions.filter((one) => one !== 'tenant:delete') };
const made = ({ body }: { readonly body: unknown }) => body as Made;
const byPerson = async (person: TenantPerson) => made(await askPortal(person, 'POST', '/applications', lesser));
const byKey = async (key: string) => made(await vault.request('POST', '/applications', { key, body: lesser }));
const keyBy = async (person: TenantPerson, id: string) =>
  made(await askPortal(person, 'POST', `/applications/${id}/keys`)).key;
const keyThrough = async (key: string, id: string) =>
  made(await vault.request('POST', `/applications/${id}/keys`, { key })).key;
const change = (person: TenantPerson, id: string) =>
  askPortal(person, 'PUT', `/applications/${id}`, { name: 'Changed', permissions: lesser.permissions });

/** Restores the state that an earlier version left behind, then migrates it. */
async function migrateAgain(): Promise<void> {
  const { owner } = vault.database;
  await owner.query('update applications set granted_as = null, granted_by = null');
  await owner.query('update application_keys set granted_as = null, granted_by = null');
  const sql = await readFile(path.join(migrationsDirectory, '0039_what_a_member_hands_out.sql'), 'utf8');
  const from = sql.indexOf('alter table applications no force row level security;');
  const last = 'alter table members force row level security;';
  await owner.query(`begin; ${sql.slice(from, sql.indexOf(last) + last.length)} commit;`);
}

/** Returns on whose authority a key's application and the key itself exist. */
async function authorityOf(key: string): Promise<string> {
  const { rows } = await vault.database.owner.query<{ text: string }>(
    `select concat_ws(' ', a.granted_as, k.granted_as) as text from application_keys k
      join applications a on a.tenant_id = k.tenant_id and a.id = k.application_id where k.id = $1`,
    [await keyIdOf(key)],
  );
  return rows[0]?.text ?? '';
}

async function keyIdOf(key: string): Promise<string> {
  await vault.request('GET', '/tenants/self', { key });
  const records = await vault.auditRecords(tenant.id);
  const used = records.findLast(({ operation, entity_type }) => operation === 'read' && entity_type === 'tenant');
  return String(used?.['key_id']);
}

const histories: [string, () => Promise<string>, string][] = [
  ['of the operator', () => Promise.resolve(tenant.keys.management), 'OPERATOR OPERATOR'],
  ['created by the owner', async () => (await byPerson(people.OWNER)).key, 'OWNER OWNER'],
  ['created by an admin', async () => (await byPerson(people.ADMIN)).key, 'ADMIN ADMIN'],
  ['created with the key of the operator', async () => (await byKey(tenant.keys.management)).key, 'OPERATOR OPERATOR'],
  ['created with a key of the owner', async () => (await byKey((await byPerson(people.OWNER)).key)).key, 'OWNER OWNER'],
  ['created with a key of an admin', async () => (await byKey((await byPerson(people.ADMIN)).key)).key, 'ADMIN ADMIN'],
  [
    'two applications away from an admin',
    async () => (await byKey((await byKey((await byPerson(people.ADMIN)).key)).key)).key,
    'ADMIN ADMIN',
  ],
  [
    'two applications away from the owner',
    async () => (await byKey((await byKey((await byPerson(people.OWNER)).key)).key)).key,
    'OWNER OWNER',
  ],
  [
    'of the owner, changed by an admin',
    async () => {
      const { id, key } = await byPerson(people.OWNER);
      await change(people.ADMIN, id);
      return key;
    },
    'ADMIN OWNER',
  ],
  [
    'of an admin, changed by the owner',
    async () => {
      const { id, key } = await byPerson(people.ADMIN);
      await change(people.OWNER, id);
      return key;
    },
    'ADMIN ADMIN',
  ],
  [
    'of the owner, with a key that an admin created',
    async () => keyBy(people.ADMIN, (await byPerson(people.OWNER)).id),
    'OWNER ADMIN',
  ],
  [
    'of the owner, with keys that it created for itself',
    async () => {
      const { id, key } = await byPerson(people.OWNER);
      return keyThrough(await keyThrough(key, id), id);
    },
    'OWNER OWNER',
  ],
  [
    'created by an application of the owner of which an admin had a key',
    async () => {
      const { id, key } = await byPerson(people.OWNER);
      await keyBy(people.ADMIN, id);
      return (await byKey(key)).key;
    },
    'ADMIN ADMIN',
  ],
  [
    'created by an application that is gone',
    async () => {
      const { id, key } = await byPerson(people.OWNER);
      const left = await byKey(key);
      await askPortal(people.OWNER, 'DELETE', `/applications/${id}`);
      return left.key;
    },
    'ADMIN ADMIN',
  ],
];

it.each(histories)('an application %s', async (_, make, expected) => {
  const key = await make();
  await migrateAgain();
  expect(await authorityOf(key)).toBe(expected);
});
