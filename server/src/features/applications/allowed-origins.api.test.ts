import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { untilTrue } from '../../../test/harness/deadline.ts';
import { createApplication, fieldsOf, recordsOf } from '../../../test/harness/test-application.ts';
import { type TestTenant, TestVault } from '../../../test/harness/test-vault.ts';
import { type ApplicationKeyId, toId } from '../../core/identity/ids.ts';
import { ChangeFeed } from '../../platform/database/changes/change-feed.ts';
import { decodeKeyId } from '../../platform/keyring/sign-in/api-key.ts';
import { CredentialDirectory } from './credentials/credential-directory.ts';

let vault: TestVault;
let tenant: TestTenant;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
});
afterAll(() => vault.stop());

const shop = 'https://shop.example';
const manage = (method: string, path: string, body?: object) =>
  vault.request(method, path, { key: tenant.keys.management, ...(body === undefined ? {} : { body }) });
const createPublic = (wanted: Readonly<Record<string, unknown>> = {}) =>
  createApplication(vault, tenant, { type: 'public', permissions: ['token:create'], ...wanted });

describe('allowed_origins', () => {
  const create = (allowed: readonly unknown[], type = 'public', permission = 'token:create') =>
    manage('POST', '/applications', { name: 'x', type, permissions: [permission], allowed_origins: allowed });

  it('are spelled as browsers do, shown, and replaced as a whole', async () => {
    const created = await create(['HTTPS://Shop.Example:443', 'http://localhost:3000']);
    expect(created).toMatchObject({ status: 201, body: { allowed_origins: [shop, 'http://localhost:3000'] } });
    const path = `/applications/${(created.body as { id: string }).id}`;
    expect((await manage('GET', path)).body).toMatchObject({ allowed_origins: [shop, 'http://localhost:3000'] });
    const settings = { name: 'x', permissions: ['token:create'] };
    const emptied = await manage('PUT', path, { ...settings, allowed_origins: [] });
    expect(emptied.body).toMatchObject({ allowed_origins: [] });
    expect((await manage('PUT', path, settings)).body).not.toHaveProperty('allowed_origins');
  });

  it.each(['http://shop.example', 'https://shop.example/', 'https://*.shop.example', 'shop.example', 'null', ''])(
    '400 for the entry %j',
    async (entry) => {
      const answer = await create([shop, entry]);
      expect([answer.status, fieldsOf(answer)]).toEqual([400, ['allowed_origins.1']]);
    },
  );

  it('400 for more than 50, and for one of more than 255 characters', async () => {
    const origins = Array.from({ length: 51 }, (_, index) => `https://shop${index}.example`);
    expect((await create(origins.slice(1))).status).toBe(201);
    const many = await create(origins);
    expect([many.status, fieldsOf(many)]).toEqual([400, ['allowed_origins']]);
    const long = await create([`https://${'a'.repeat(250)}.example`]);
    expect([long.status, fieldsOf(long)]).toEqual([400, ['allowed_origins.0']]);
  });

  it.each([
    ['private', 'token:create'],
    ['management', 'tenant:read'],
  ])('400 for a %s application, whose keys are for no page', async (type, permission) => {
    for (const allowed of [[shop], []]) {
      const answer = await create(allowed, type, permission);
      expect([answer.status, fieldsOf(answer)]).toEqual([400, ['allowed_origins']]);
    }
    const { id } = await createApplication(vault, tenant, { type, permissions: [permission] });
    const body = { name: 'x', permissions: [permission], allowed_origins: [shop] };
    const updated = await manage('PUT', `/applications/${id}`, body);
    expect([updated.status, fieldsOf(updated)]).toEqual([400, ['allowed_origins']]);
  });

  it('are in the audit records of the changes', async () => {
    const { id } = await createPublic({ allowed_origins: [shop] });
    await manage('PUT', `/applications/${id}`, { name: 'Test', permissions: ['token:create'] });
    const changes = (await recordsOf(vault, tenant, id)).map(
      ({ details }) => (JSON.parse(String(details)) as { changes: string[] }).changes,
    );
    expect(changes).toEqual([
      ['permission added: token:create', 'limit of origins added: to a list', `origin added: ${shop}`],
      ['limit of origins removed: to a list', `origin removed: ${shop}`],
    ]);
  });
});

describe('the origins of a key, by its id alone', () => {
  let feed: ChangeFeed;
  let directory: CredentialDirectory;
  beforeAll(async () => {
    const { database, systemKeys, keyring } = vault.server.core;
    feed = new ChangeFeed(vault.database.url, '');
    directory = new CredentialDirectory({ database, systemKeys, keyring, cell: undefined, feed });
    await feed.start();
  });
  afterAll(async () => {
    await directory.close();
    await feed.stop();
  });

  const find = (key: string) => {
    const id = decodeKeyId(key.split('_')[3]?.slice(0, 22) ?? '');
    return id === undefined ? undefined : directory.findAllowedOrigins(id);
  };
  const untilFound = (key: string, expected: readonly string[] | undefined) =>
    untilTrue(async () => JSON.stringify(await find(key)) === JSON.stringify(expected), {
      waitingFor: `the origins ${String(expected)}`,
    });
  const startSession = async (key: string) => {
    const { body } = await vault.request('POST', '/sessions', { key });
    return body as { session_key: string; nonce: string };
  };

  it.each([
    [{ allowed_origins: [shop] }, [shop]],
    [{ allowed_origins: [] }, []],
    [{}, []],
  ])('of a public application with %j are %j, and those of its sessions', async (wanted, expected) => {
    const { key } = await createPublic(wanted);
    expect(await find(key)).toEqual(expected);
    const { session_key: sessionKey, nonce } = await startSession(key);
    expect(await find(sessionKey)).toEqual(expected);
    await vault.request('POST', '/sessions/authorize', {
      key: tenant.keys.private,
      body: { nonce, permissions: ['token:create'] },
    });
    expect(await find(sessionKey)).toEqual(expected);
  });

  it('are none for a private or management key, and for an id that does not exist', async () => {
    expect(await find(tenant.keys.private)).toBeUndefined();
    expect(await find(tenant.keys.management)).toBeUndefined();
    expect(await directory.findAllowedOrigins(toId<ApplicationKeyId>(crypto.randomUUID()))).toBeUndefined();
  });

  it('are read once, and an id that does not exist is not kept', async () => {
    const { key } = await createPublic({ allowed_origins: [shop] });
    await find(key);
    const { entries, hits, loads } = directory.uses.origins;
    expect(await find(key)).toEqual([shop]);
    await directory.findAllowedOrigins(toId<ApplicationKeyId>(crypto.randomUUID()));
    expect(directory.uses.origins).toMatchObject({ entries, hits: hits + 1, loads: loads + 1 });
  });

  it('follow a change of the list', async () => {
    const { id, key } = await createPublic({ allowed_origins: [shop] });
    const { session_key: sessionKey } = await startSession(key);
    expect([await find(key), await find(sessionKey)]).toEqual([[shop], [shop]]);
    const allowed = ['https://other.example'];
    await manage('PUT', `/applications/${id}`, { name: 'x', permissions: [], allowed_origins: allowed });
    await untilFound(key, allowed);
    await untilFound(sessionKey, allowed);
  });

  it('end with the key, with the application that authorized a session, and with their time', async () => {
    const { id, key, keyId } = await createPublic({ allowed_origins: [shop] });
    const authorizer = await createApplication(vault, tenant);
    const { session_key: sessionKey, nonce } = await startSession(key);
    const body = { nonce, permissions: ['token:create'] };
    await vault.request('POST', '/sessions/authorize', { key: authorizer.key, body });
    expect([await find(key), await find(sessionKey)]).toEqual([[shop], [shop]]);
    const past = `update applications set expires_at = now() where id = $1`;
    await vault.database.owner.query(past, [authorizer.id]);
    await untilFound(sessionKey, undefined);
    expect(await find(key)).toEqual([shop]);
    await manage('DELETE', `/applications/${id}/keys/${keyId}`);
    await untilFound(key, undefined);
  });
});
