import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TestVault, type TestTenant } from '../../../test/harness/test-vault.ts';
import { parseTenantId, type TenantId } from '../../core/identity/ids.ts';
import { Keyring } from '../../platform/keyring/keys/keyring.ts';
import { TenantKeyStore } from '../../platform/keyring/keys/tenant-key-store.ts';
import { sealedClientKeys } from '../client-keys/index.ts';
import { sealedResponses } from '../idempotency/index.ts';
import { sealedTokenIntents, sealedTokens } from '../tokens/index.ts';
import { rotateDataKey } from './data-rotation.ts';
import { KeyRetirement } from './key-retirement.ts';
import { Reencryption } from './reencryption.ts';

const tables = [sealedTokens, sealedTokenIntents, sealedResponses, sealedClientKeys];
const fast = { rowsPerSecond: 1_000_000, onProgress: () => undefined };

let vault: TestVault;
let tenant: TestTenant;
let tenantId: TenantId;
beforeAll(async () => {
  vault = await TestVault.start();
});
afterAll(() => vault.stop());
beforeEach(async () => {
  tenant = await vault.makeTenant();
  tenantId = parseTenantId(tenant.id);
});

const { stringify } = JSON;
const core = () => vault.server.core;
const reencryption = (keyring = core().keyring) =>
  new Reencryption({ database: core().database, keyring, tables, settleMs: 0 });
const retirement = () => new KeyRetirement({ database: core().database, tables, closedForMinMs: 0 });
const rotate = () => rotateDataKey(core(), tenantId);

async function createTokens(count: number): Promise<string[]> {
  const body = Array.from({ length: count }, (_, index) => ({ type: 'token', data: `value ${index}` }));
  const answer = await vault.request('POST', '/tokenize', { key: tenant.keys.private, body });
  return (answer.body as { id: string }[]).map(({ id }) => id);
}

async function readData(id: string): Promise<unknown> {
  const answer = await vault.request('GET', `/tokens/${id}`, { key: tenant.keys.reveal });
  return (answer.body as { data: unknown }).data;
}

async function versionsOf(table: 'tokens' | 'idempotency_results', column: 'data' | 'sealed'): Promise<number[]> {
  const { rows } = await vault.database.owner.query<{ version: number }>(
    `select distinct key_version(${column}) as version from ${table} where tenant_id = $1 and ${column} is not null order by 1`,
    [tenantId],
  );
  return rows.map(({ version }) => version);
}

describe('a new data key', () => {
  it('serves new writes at once on every server, and what was there still opens', async () => {
    const other = await vault.startAnother();
    const [before = ''] = await createTokens(1);
    await vault.request('GET', `/tokens/${before}`, { key: tenant.keys.reveal, url: other.url });
    expect(await rotate()).toEqual({ version: 2 });
    for (const url of [vault.server.url, other.url]) {
      await expect
        .poll(async () => {
          const body = { type: 'token', data: 'after' };
          const answer = await vault.request('POST', '/tokens', { key: tenant.keys.private, body, url });
          const { id } = answer.body as { id: string };
          const { rows } = await vault.database.owner.query<{ version: number }>(
            'select key_version(data) as version from tokens where tenant_id = $1 and id = $2',
            [tenantId, id],
          );
          return rows[0]?.version;
        })
        .toBe(2);
    }
    expect(await readData(before)).toBe('value 0');
  });

  it('is made once by two operators at the same moment', async () => {
    const results = await Promise.allSettled([rotate(), rotate(), rotate()]);
    const made = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value.version] : []));
    const refused = results.flatMap((result) => (result.status === 'rejected' ? [String(result.reason)] : []));
    expect(new Set(made).size).toBe(made.length);
    for (const message of refused) expect(message).toContain('Another process has just created data key');
  });

  it('is written down, as is its use and the end of the one before', async () => {
    await createTokens(1);
    await rotate();
    await reencryption().run(tenantId, fast);
    await retirement().run(tenantId, () => undefined);
    const records = (await vault.auditRecords(tenant.id)).filter(({ entity_type: type }) => type === 'key');
    expect(records.map(({ operation, entity_id: id, actor_type: by }) => [operation, id, by])).toEqual([
      ['rotate', 'data/2', 'system'],
      ['reencrypt', 'data/2', 'system'],
      ['reencrypt', 'data/2', 'system'],
      ['reencrypt', 'data/2', 'system'],
      ['reencrypt', 'data/2', 'system'],
      ['retire', 'data/1', 'system'],
    ]);
  });
});

describe('re-encryption', () => {
  it('brings tokens and kept answers under the newest key and changes no value, version or time', async () => {
    const ids = await createTokens(60);
    const once = { key: tenant.keys.private, headers: { 'bt-idempotency-key': 'once' } };
    const first = await vault.request('POST', '/tokens', { ...once, body: { type: 'token', data: 'kept' } });
    const meta = `select id, version, created_at, modified_at, fingerprint, terms from tokens where tenant_id = $1 order by id`;
    const before = (await vault.database.owner.query(meta, [tenantId])).rows;
    await rotate();
    const report = await reencryption().run(tenantId, { ...fast, rowsPerSecond: 100 });
    expect(report).toEqual({ targetVersion: 2, read: 62, changed: 62, unreadable: [] });
    expect(await versionsOf('tokens', 'data')).toEqual([2]);
    expect(await versionsOf('idempotency_results', 'sealed')).toEqual([2]);
    expect((await vault.database.owner.query(meta, [tenantId])).rows).toEqual(before);
    for (const [index, id] of ids.entries()) expect(await readData(id)).toBe(`value ${index}`);
    const again = await vault.request('POST', '/tokens', { ...once, body: { type: 'token', data: 'kept' } });
    expect(again.text).toBe(first.text);
  });

  it('leaves a row alone that somebody changed between the look and the write', async () => {
    const [changed = '', deleted = ''] = await createTokens(2);
    await rotate();
    let isDone = false;
    const meddling = {
      ...sealedTokens,
      replace: async (...parts: Parameters<typeof sealedTokens.replace>) => {
        if (!isDone) {
          isDone = true;
          const patch = { key: tenant.keys.private, body: { data: 'newer' } };
          const headers = { 'content-type': 'application/merge-patch+json' };
          expect((await vault.request('PATCH', `/tokens/${changed}`, { ...patch, headers })).status).toBe(200);
          await vault.request('DELETE', `/tokens/${deleted}`, { key: tenant.keys.private });
        }
        return sealedTokens.replace(...parts);
      },
    };
    const { database, keyring } = core();
    const report = await new Reencryption({ database, keyring, tables: [meddling], settleMs: 0 }).run(tenantId, fast);
    expect(report).toMatchObject({ read: 2, changed: 0 });
    expect(await readData(changed)).toBe('newer');
    expect(await versionsOf('tokens', 'data')).toEqual([2]);
    expect((await vault.request('GET', `/tokens/${deleted}`, { key: tenant.keys.reveal })).status).toBe(404);
  });

  it('goes on where a run was cut off, and does nothing when it was finished', async () => {
    await createTokens(50);
    await rotate();
    let steps = 0;
    const dying = {
      ...sealedTokens,
      list: (...parts: Parameters<typeof sealedTokens.list>) => {
        steps += 1;
        if (steps === 3) throw new Error('Killed, as planned.');
        return sealedTokens.list(...parts);
      },
    };
    const { database, keyring } = core();
    const slow = { ...fast, rowsPerSecond: 50 };
    const dead = new Reencryption({ database, keyring, tables: [dying], settleMs: 0 });
    await expect(dead.run(tenantId, slow)).rejects.toThrow('as planned');
    const seen: number[] = [];
    const report = await reencryption().run(tenantId, { ...fast, onProgress: (read) => seen.push(read) });
    expect(seen[0]).toBe(20);
    expect(report).toMatchObject({ read: 50, changed: 50 });
    expect(await reencryption().run(tenantId, fast)).toMatchObject({ read: 50, changed: 50 });
  });

  describe('with a row that somebody writes back as it was before', () => {
    async function saveFirst(): Promise<{ id: string; putBack: () => Promise<void> }> {
      const [id = ''] = (await createTokens(12)).toSorted();
      const { owner } = vault.database;
      const { rows } = await owner.query<{ data: Buffer }>('select data from tokens where id = $1', [id]);
      const putBack = async () =>
        void (await owner.query('update tokens set data = $2 where id = $1', [id, rows[0]?.data]));
      return { id, putBack };
    }

    it('is not done before that row is re-encrypted, too', async () => {
      const { id, putBack } = await saveFirst();
      await rotate();
      let reads = 0;
      const meddling = {
        ...sealedTokens,
        list: async (...parts: Parameters<typeof sealedTokens.list>) => {
          reads += 1;
          if (reads === 2) await putBack();
          return sealedTokens.list(...parts);
        },
      };
      const { database, keyring } = core();
      const run = new Reencryption({ database, keyring, tables: [meddling], settleMs: 0 });
      await run.run(tenantId, { ...fast, rowsPerSecond: 50 });
      expect(await versionsOf('tokens', 'data')).toEqual([2]);
      expect(await readData(id)).toMatch(/^value/);
    });

    it('is taken up again after it was done', async () => {
      const { putBack } = await saveFirst();
      await rotate();
      await reencryption().run(tenantId, fast);
      await putBack();
      expect(await reencryption().run(tenantId, fast)).toMatchObject({ unreadable: [] });
      expect(await versionsOf('tokens', 'data')).toEqual([2]);
    });

    it('says so if that never ends', async () => {
      const { putBack } = await saveFirst();
      await rotate();
      const stubborn = {
        ...sealedTokens,
        listVersions: async (...parts: Parameters<typeof sealedTokens.listVersions>) => {
          await putBack();
          return sealedTokens.listVersions(...parts);
        },
      };
      const { database, keyring } = core();
      const run = new Reencryption({ database, keyring, tables: [stubborn], settleMs: 0 });
      await expect(run.run(tenantId, fast)).rejects.toThrow('keep appearing in tokens');
      const records = (await vault.auditRecords(tenant.id)).filter(({ operation }) => operation === 'reencrypt');
      expect(records).toEqual([]);
    });
  });

  it('may be run twice at the same moment', async () => {
    await createTokens(80);
    await rotate();
    const two = [reencryption(), reencryption(new Keyring(core().database, core().rootKeys))];
    await Promise.all(two.map((run) => run.run(tenantId, { ...fast, rowsPerSecond: 100 })));
    expect(await versionsOf('tokens', 'data')).toEqual([2]);
  });

  it('reports what no key opens, leaves it alone, and goes on', async () => {
    const [damaged = ''] = await createTokens(5);
    const damage =
      'update tokens set data = set_byte(data, 80, get_byte(data, 80) # 1) where tenant_id = $1 and id = $2';
    await vault.database.owner.query(damage, [tenantId, damaged]);
    await rotate();
    const report = await reencryption().run(tenantId, fast);
    expect(report).toMatchObject({ read: 5, changed: 4, unreadable: [`tokens ${damaged}`] });
    expect(await retirement().run(tenantId, () => undefined)).toEqual({ retired: [], inUse: new Map([[1, 1]]) });
    // The next run reports the row again, and re-encrypts it after it has been repaired.
    expect(await reencryption().run(tenantId, fast)).toMatchObject({ unreadable: [`tokens ${damaged}`] });
    await vault.database.owner.query(damage, [tenantId, damaged]);
    expect(await reencryption().run(tenantId, fast)).toMatchObject({ changed: 1, unreadable: [] });
    expect(await readData(damaged)).toBe('value 0');
  });

  it('to an older version ends when a newer one is made, and the newer one is reached', async () => {
    await createTokens(40);
    await rotate();
    let isRotated = false;
    const rotating = {
      ...sealedTokens,
      // The rotation happens between reading and writing rows, because the run holds no lock at that time that would
      // block the rotation.
      list: async (...parts: Parameters<typeof sealedTokens.list>) => {
        const rows = await sealedTokens.list(...parts);
        if (!isRotated) {
          isRotated = true;
          await rotate();
          await reencryption().run(tenantId, fast);
        }
        return rows;
      },
    };
    const { database, keyring } = core();
    const older = new Reencryption({ database, keyring, tables: [rotating], settleMs: 0 });
    await expect(older.run(tenantId, { ...fast, rowsPerSecond: 50 })).rejects.toThrow(
      'Data key 3 was created in the meantime',
    );
    await reencryption().run(tenantId, fast);
    expect(await versionsOf('tokens', 'data')).toEqual([3]);
  });

  it('touches no other tenant', async () => {
    const other = await vault.makeTenant();
    const body = { type: 'token', data: 'theirs' };
    await vault.request('POST', '/tokens', { key: other.keys.private, body });
    await createTokens(1);
    await rotate();
    await reencryption().run(tenantId, fast);
    const { rows } = await vault.database.owner.query(
      'select distinct key_version(data) as version from tokens where tenant_id = $1',
      [other.id],
    );
    expect(rows).toEqual([{ version: 1 }]);
  });
});

describe('a closed key version', () => {
  /** Encrypts a record like a server that was suspended, which loaded its keys earlier and receives no changes. */
  async function sleepingRecord(): Promise<Buffer> {
    const sleeper = new Keyring(core().database, core().rootKeys);
    const binding = { tokenId: 'sleeper', field: 'data', recordVersion: 1, type: 'token' };
    return (await sleeper.forTenant(tenantId)).seal('"late"', binding);
  }

  it('takes no record any more, not even from a server that slept through it all', async () => {
    const late = await sleepingRecord();
    const [id = ''] = await createTokens(1);
    await rotate();
    await reencryption().run(tenantId, fast);
    const records = [{ position: id, old: late, fresh: late }];
    const written = core().database.forTenant(tenantId, (tx) => sealedTokens.replace(tx, tenantId, records));
    await expect(written).rejects.toMatchObject({ code: 'key-service-unavailable' });
    expect(await versionsOf('tokens', 'data')).toEqual([2]);
  });

  it('is refused to every way of writing, with a 503, and nothing is written', async () => {
    const sleeper = await vault.startAnother();
    const url = sleeper.url;
    const body = { type: 'token', data: 'x' };
    const [id = ''] = await createTokens(1);
    const warm = await vault.request('POST', '/tokens', { key: tenant.keys.private, body, url });
    expect(warm.status).toBe(201);
    // This server receives no changes and continues to encrypt with the keys that it has.
    const held = await sleeper.core.keyring.forTenant(tenantId);
    Object.assign(sleeper.core.keyring, { forTenant: async () => held });
    await rotate();
    await reencryption().run(tenantId, fast);
    const merge = { 'content-type': 'application/merge-patch+json' };
    const ask = { key: tenant.keys.private, url };
    const answers = [
      await vault.request('POST', '/tokens', { ...ask, body }),
      await vault.request('POST', '/tokens', { ...ask, body: { ...body, data: 'other', deduplicate_token: true } }),
      await vault.request('POST', '/tokenize', { ...ask, body }),
      await vault.request('PATCH', `/tokens/${id}`, { ...ask, body: { data: 'y' }, headers: merge }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([503, 503, 503, 503]);
    const headers = { 'bt-idempotency-key': 'once' };
    await vault.request('PUT', '/tenants/self', { key: tenant.keys.management, url, headers, body: { name: 'New' } });
    expect(await versionsOf('tokens', 'data')).toEqual([2]);
    expect(await versionsOf('idempotency_results', 'sealed')).not.toContain(1);
    expect(await readData(id)).toBe('value 0');
  });

  it('waits for writers that are under way, so that none of them is missed', async () => {
    const [id = ''] = await createTokens(1);
    const late = await sleepingRecord();
    await rotate();
    const { database } = core();
    const { promise: written, resolve: tell } = Promise.withResolvers<void>();
    const { promise: mayCommit, resolve: commit } = Promise.withResolvers<void>();
    const writer = database.forTenant(tenantId, async (tx) => {
      await tx.query({ text: 'select require_open_keys($1, $2)', values: [tenantId, [1]] });
      await tx.query({
        text: 'update tokens set data = $3 where tenant_id = $1 and id = $2',
        values: [tenantId, id, late],
      });
      tell();
      await mayCommit;
    });
    await written;
    let isClosed = false;
    const closing = database
      .forTenant(tenantId, (tx) => new TenantKeyStore(tx).closeOlder(tenantId))
      .then(() => {
        isClosed = true;
      });
    const waiting = `select 1 from pg_locks where locktype = 'advisory' and not granted`;
    await expect.poll(async () => (await vault.database.owner.query(waiting)).rows.length).toBeGreaterThan(0);
    expect(isClosed).toBe(false);
    commit();
    await Promise.all([writer, closing]);
    expect(stringify(await versionsOf('tokens', 'data'))).toBe('[1]');
  });
});

describe('retiring a key', () => {
  it('is refused while a row is under it, and destroys it at zero rows', async () => {
    await createTokens(3);
    await rotate();
    expect(await retirement().run(tenantId, () => undefined)).toEqual({ retired: [], inUse: new Map() });
    await core().database.forTenant(tenantId, (tx) => new TenantKeyStore(tx).closeOlder(tenantId));
    expect(await retirement().run(tenantId, () => undefined)).toEqual({ retired: [], inUse: new Map([[1, 3]]) });
    await reencryption().run(tenantId, fast);
    expect(await retirement().run(tenantId, () => undefined)).toEqual({ retired: [1], inUse: new Map() });
    const { rows } = await vault.database.owner.query(
      `select version from tenant_keys where tenant_id = $1 and purpose = 'data'`,
      [tenantId],
    );
    expect(rows).toEqual([{ version: 2 }]);
    await createTokens(1);
  });

  it('counts kept answers too', async () => {
    const headers = { 'bt-idempotency-key': 'kept' };
    await vault.request('POST', '/tokens', { key: tenant.keys.private, headers, body: { type: 'token', data: 'x' } });
    await rotate();
    const { database, keyring } = core();
    await new Reencryption({ database, keyring, tables: [sealedTokens], settleMs: 0 }).run(tenantId, fast);
    expect(await retirement().run(tenantId, () => undefined)).toEqual({ retired: [], inUse: new Map([[1, 1]]) });
  });
});
