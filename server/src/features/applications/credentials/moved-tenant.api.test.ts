import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { untilTrue } from '../../../../test/harness/deadline.ts';
import { type TestTenant, TestVault } from '../../../../test/harness/test-vault.ts';
import { AdminSession } from '../../../platform/database/moves/admin-session.ts';
import { beginDeparture, closeForHandOver, decide, reopen } from '../../../platform/database/moves/move-row.ts';
import { parseTenantId } from '../../../core/identity/ids.ts';
import { generateApiKey } from '../../../platform/keyring/sign-in/api-key.ts';
import { SystemKeys } from '../../../platform/keyring/keys/system-keys.ts';

let vault: TestVault;
let tenant: TestTenant;
let admin: AdminSession;
beforeAll(async () => {
  vault = await TestVault.start(undefined, { cell: 'eu1' });
  admin = await AdminSession.open(vault.database.url, 'a setting');
});
beforeEach(async () => {
  tenant = await vault.makeTenant();
});
afterAll(async () => {
  await admin.close();
  await vault.stop();
});

const idOf = () => parseTenantId(tenant.id);
const write = (of: TestTenant = tenant) =>
  vault.request('POST', '/tokens', { key: of.keys.private, body: { type: 'token', data: 'x' } });
const countRecords = async () => {
  const { rows } = await vault.database.owner.query<{ n: number }>(
    'select count(*)::integer as n from audit_records where tenant_id = $1',
    [tenant.id],
  );
  return rows[0]?.n;
};

async function close(seconds: number): Promise<string> {
  const { id } = await beginDeparture(admin, idOf(), 'us1');
  await closeForHandOver(admin, idOf(), seconds);
  return id;
}

describe('a tenant that is being handed over', () => {
  it('is neither read nor written, and leaves no record, while others are served', async () => {
    const made = await write();
    const { id } = made.body as { id: string };
    await close(600);
    const before = await countRecords();
    for (const refused of [
      await write(),
      await vault.request('GET', `/tokens/${id}`, { key: tenant.keys.private }),
      await vault.request('DELETE', `/tokens/${id}`, { key: tenant.keys.private }),
      await vault.request('GET', '/tokens', { key: tenant.keys.private }),
      await vault.request('POST', '/applications', {
        key: tenant.keys.management,
        body: { name: 'New', type: 'public', permissions: [] },
      }),
    ]) {
      expect(refused.status).toBe(503);
      expect(refused.body).toMatchObject({ type: '/docs/errors/tenant-moving' });
      expect(refused.headers.get('retry-after')).toBe('1');
    }
    expect(await countRecords()).toBe(before);
    expect((await write(await vault.makeTenant())).status).toBe(201);
    await reopen(admin, idOf());
    expect((await write()).status).toBe(201);
  });

  it('opens by itself when its time is over, and cannot leave then', async () => {
    const id = await close(0.05);
    await untilTrue(async () => (await write()).status === 201, { waitingFor: 'the tenant to open' });
    expect(await decide(admin, idOf(), { id, attempt: crypto.randomUUID() })).toBe(false);
    expect((await write()).status).toBe(201);
  });

  it('waits for a request that has written its record and not committed yet', async () => {
    const client = await vault.database.owner.connect();
    await client.query('begin');
    await client.query(
      `insert into audit_records (tenant_id, entity_id, entity_type, operation, outcome) values ($1, 'a', 'token', 'read', 'success')`,
      [tenant.id],
    );
    let isClosed = false;
    const closing = close(600).then(() => {
      isClosed = true;
    });
    await untilTrue(
      async () =>
        (
          await vault.database.owner.query('select from pg_locks where not granted and mode = $1', [
            'ShareRowExclusiveLock',
          ])
        ).rows.length > 0,
      { waitingFor: 'the command to wait' },
    );
    expect(isClosed).toBe(false);
    await client.query('commit');
    client.release();
    await closing;
    expect(await countRecords()).toBeGreaterThan(0);
    await reopen(admin, idOf());
  });
});

describe('a tenant that has moved', () => {
  it('is refused with the name of its cell, also by a server that has not learned of it', async () => {
    const id = await close(600);
    expect(await decide(admin, idOf(), { id, attempt: crypto.randomUUID() })).toBe(true);
    const { status, body } = await write();
    expect({ status, cell: (body as { cell: string }).cell }).toEqual({ status: 421, cell: 'us1' });
    // The statement itself is refused, whatever a server believes.
    await expect(
      vault.server.core.database.runForTenant(idOf(), {
        text: `insert into audit_records (tenant_id, entity_id, entity_type, operation, outcome) values ($1, 'a', 'token', 'read', 'success')`,
        values: [tenant.id],
      }),
    ).rejects.toMatchObject({ code: 'other-cell' });
    expect(await reopen(admin, idOf())).toBe(false);
  });
});

describe('a key of another cell', () => {
  it('works if it has moved here with its tenant, and only with its own secret', async () => {
    const { core } = vault.server;
    const foreign = await TestVault.start(undefined, { cell: 'us1' });
    const key = generateApiKey('test', 'pvt', 'us1');
    const stranger = generateApiKey('test', 'pvt', 'us1');
    const theirs = await SystemKeys.load(foreign.server.core.database, foreign.server.core.rootKeys);
    const name = { tenantId: idOf(), version: 1 };
    const wrapped = await theirs.wrapCredentialKey(core.rootKeys, name, undefined);
    const { owner } = vault.database;
    await owner.query(
      `insert into application_keys (tenant_id, id, application_id, version, secret_hash)
        select tenant_id, $2, application_id, 9, $3 from application_keys where tenant_id = $1 and id = $4`,
      [tenant.id, key.id, theirs.hashCredential(key.secret), await privateKeyId()],
    );
    const get = (text: string) => vault.request('GET', '/tokens', { key: text });
    expect((await get(key.text)).status).toBe(421);
    await owner.query(
      'insert into tenant_keys (tenant_id, purpose, version, root_key, wrapped, canary) values ($1, $2, 1, $3, $4, $5)',
      [tenant.id, 'credential', wrapped.rootKey, wrapped.wrapped, wrapped.canary],
    );
    await owner.query(
      `insert into tenant_moves (tenant_id, direction, id, cell, step, key_ids, decided_at)
        values ($1, 'in', gen_random_uuid(), 'us1', 'opened', array[$2::uuid], now())`,
      [tenant.id, key.id],
    );
    await untilTrue(async () => (await get(key.text)).status === 200, { waitingFor: 'the server to learn of the key' });
    expect((await get(stranger.text)).status).toBe(421);
    expect((await get(tenant.keys.private)).status).toBe(200);
    await foreign.stop();
  });

  async function privateKeyId(): Promise<string> {
    const { rows } = await vault.database.owner.query<{ id: string }>(
      `select k.id from application_keys k join applications a on a.tenant_id = k.tenant_id and a.id = k.application_id
        where k.tenant_id = $1 and a.type = 'private' limit 1`,
      [tenant.id],
    );
    return rows[0]?.id ?? '';
  }
});
