import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fastest, untilTrue } from '../../../../test/harness/deadline.ts';
import { createApplication, type TestApplication } from '../../../../test/harness/test-application.ts';
import { type TestTenant, TestVault } from '../../../../test/harness/test-vault.ts';
import type { VaultServer } from '../../../app/serve/vault-server.ts';

/** The documented guarantee: a revocation takes effect on every server within a second. */
const promisedMs = 1_000;
const promised = { enoughMs: promisedMs };

let vault: TestVault;
let other: VaultServer;
let tenant: TestTenant;
beforeAll(async () => {
  vault = await TestVault.start();
  other = await vault.startAnother();
});
afterAll(() => vault.stop());

interface Revocation {
  readonly name: string;
  readonly revoke: (application: TestApplication) => Promise<{ readonly status: number }>;
  /** The status of a server that knows about the revocation. */
  readonly refusal: number;
}

const manage = (method: string, path: string, body?: object) =>
  vault.request(method, path, { key: tenant.keys.management, ...(body === undefined ? {} : { body }) });
const revocations: Revocation[] = [
  {
    name: 'a key is deleted',
    revoke: ({ id, keyId }) => manage('DELETE', `/applications/${id}/keys/${keyId}`),
    refusal: 401,
  },
  { name: 'an application is deleted', revoke: ({ id }) => manage('DELETE', `/applications/${id}`), refusal: 401 },
  {
    name: 'a permission is taken away',
    revoke: ({ id }) => manage('PUT', `/applications/${id}`, { name: 'Test', permissions: ['token:create'] }),
    refusal: 403,
  },
  {
    name: 'an application comes to its end',
    revoke: ({ id }) =>
      manage('PUT', `/applications/${id}`, {
        name: 'Test',
        permissions: ['token:read'],
        expires_at: '2020-01-01T00:00:00Z',
      }),
    refusal: 401,
  },
  { name: 'the tenant is deleted', revoke: () => manage('DELETE', '/tenants/self'), refusal: 401 },
];

/** Requests a token that does not exist. A key with read access gets 404, and nothing is decrypted. */
const read = async (key: string, url: string) => (await vault.request('GET', '/tokens/none', { key, url })).status;

async function makeWarmApplication(): Promise<TestApplication> {
  tenant = await vault.makeTenant();
  const application = await createApplication(vault, tenant);
  for (const url of [vault.server.url, other.url]) {
    expect(await read(application.key, url)).toBe(404);
    expect(await read(application.key, url)).toBe(404);
  }
  return application;
}

/** Returns the milliseconds from the request for the revocation until the other server rejects the key. */
async function untilRefused(application: TestApplication, { revoke, refusal }: Revocation): Promise<number> {
  const startedAt = performance.now();
  const answer = await revoke(application);
  expect([200, 204]).toContain(answer.status);
  await untilTrue(async () => (await read(application.key, other.url)) === refusal, {
    waitingFor: 'the other server to refuse',
  });
  return performance.now() - startedAt;
}

/**
 * Checks that the key stays rejected after changes arrive again. The cache is trusted again from then on, so it must
 * not contain data for which a change was missed.
 */
async function expectRefusedForGood(application: TestApplication, { refusal }: Revocation): Promise<void> {
  await untilTrue(async () => (await vault.request('GET', '/readyz', { url: other.adminUrl })).status === 200, {
    waitingFor: 'the other server to hear of changes again',
  });
  for (let count = 0; count < 5; count += 1) expect(await read(application.key, other.url)).toBe(refusal);
}

const listeners = `from pg_stat_activity where application_name like 'strongroom changes%' and datname = current_database()`;
const cutListeners = () => vault.database.owner.query(`select pg_terminate_backend(pid) ${listeners}`);
/** Returns the backend process ids of the connections on which servers receive changes. */
async function listenerPids(): Promise<number[]> {
  const { rows } = await vault.database.owner.query<{ pid: number }>(`select pid ${listeners}`);
  return rows.map(({ pid }) => pid);
}
const untilBothListen = () =>
  untilTrue(async () => (await listenerPids()).length === 2, { waitingFor: 'both to listen again' });

describe('on another server, which answered from memory a moment ago', () => {
  it.each(revocations)('refuses within a second after $name', async (revocation) => {
    const refusedMs = await fastest(async () => untilRefused(await makeWarmApplication(), revocation), promised);
    expect(refusedMs).toBeLessThan(promisedMs);
  });

  it.each(revocations)(
    'refuses within a second after $name while the connections for changes are cut',
    async (revocation) => {
      const refusedMs = await fastest(async () => {
        const application = await makeWarmApplication();
        await untilBothListen();
        await cutListeners();
        const ms = await untilRefused(application, revocation);
        await expectRefusedForGood(application, revocation);
        return ms;
      }, promised);
      expect(refusedMs).toBeLessThan(promisedMs);
    },
  );

  it.each(revocations)('refuses within a second after $name while no change gets through', async (revocation) => {
    const refusedMs = await fastest(async () => {
      const application = await makeWarmApplication();
      await untilBothListen();
      const pids = await listenerPids();
      // A stopped process looks like a broken network: the connection stays open, but nothing arrives.
      for (const pid of pids) process.kill(pid, 'SIGSTOP');
      const ms = await untilRefused(application, revocation).finally(() => {
        for (const pid of pids) process.kill(pid, 'SIGCONT');
      });
      await expectRefusedForGood(application, revocation);
      return ms;
    }, promised);
    expect(refusedMs).toBeLessThan(promisedMs);
  });

  it('answers a valid key all the while the connections for changes are cut', async () => {
    const application = await makeWarmApplication();
    for (let round = 0; round < 3; round += 1) {
      await untilBothListen();
      await cutListeners();
      for (let count = 0; count < 20; count += 1) expect(await read(application.key, other.url)).toBe(404);
    }
  });

  it('gives a permission as fast as it takes one', async () => {
    const { id, key } = await makeWarmApplication();
    const change = async (permission: string, status: number) => {
      await manage('PUT', `/applications/${id}`, { name: 'Test', permissions: [permission] });
      return untilTrue(async () => (await read(key, other.url)) === status, { waitingFor: permission });
    };
    const changedMs = await fastest(async () => {
      const goneMs = await change('token:create', 403);
      return Math.max(goneMs, await change('token:read', 404));
    }, promised);
    expect(changedMs).toBeLessThan(promisedMs);
  });
});

describe('the last use of a key', () => {
  it('is recorded by the time the server has stopped', async () => {
    const own = await TestVault.start();
    const { key, keyId } = await createApplication(own, await own.makeTenant());
    const lastUse = async () => {
      const { rows } = await own.database.owner.query<{ at: Date | null }>(
        'select last_used_at as at from application_keys where id = $1',
        [keyId],
      );
      return rows[0]?.at;
    };
    expect(await lastUse()).toBeNull();
    await own.request('GET', '/applications/key', { key });
    await own.server.stop();
    expect(await lastUse()).toBeInstanceOf(Date);
    await own.database.drop();
  });
});
