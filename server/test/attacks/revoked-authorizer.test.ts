import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { VaultServer } from '../../src/app/serve/vault-server.ts';
import { untilTrue } from '../harness/deadline.ts';
import { createApplication, type TestApplication } from '../harness/test-application.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';

/* Previously, a session kept the plaintext rights of a revoked key for up to a day. */
let vault: TestVault;
let other: VaultServer;
let tenant: TestTenant;
beforeAll(async () => {
  vault = await TestVault.start();
  other = await vault.startAnother();
  tenant = await vault.makeTenant();
  const body = { id: 'secret', type: 'token', data: 'plaintext', containers: ['/a/'] };
  expect((await vault.request('POST', '/tokens', { key: tenant.keys.private, body })).status).toBe(201);
});
afterAll(() => vault.stop());

const rule = { priority: 1, container: '/a/', transform: 'reveal', permissions: ['token:read'] };
const makeAuthorizer = () => createApplication(vault, tenant, { permissions: [], rules: [rule] });
const manage = (method: string, path: string) => vault.request(method, path, { key: tenant.keys.management });

async function createSession(): Promise<{ session_key: string; nonce: string }> {
  const { body } = await vault.request('POST', '/sessions', { key: tenant.keys.public });
  return body as { session_key: string; nonce: string };
}

function authorize(key: string, nonce: string) {
  const expires_at = new Date(Date.now() + 3_600_000).toISOString();
  return vault.request('POST', '/sessions/authorize', { key, body: { nonce, rules: [rule], expires_at } });
}

async function openSession(key: string): Promise<string> {
  const { session_key, nonce } = await createSession();
  expect((await authorize(key, nonce)).status).toBe(200);
  for (const url of urls()) expect(await read(session_key, url)).toBe(200);
  return session_key;
}

const urls = () => [vault.server.url, other.url];
const read = async (key: string, url: string) => (await vault.request('GET', '/tokens/secret', { key, url })).status;
const areRefused = async (sessions: readonly string[]) => {
  const statuses = await Promise.all(urls().flatMap((url) => sessions.map((session) => read(session, url))));
  return statuses.every((status) => status === 401);
};

async function addKey({ id }: TestApplication): Promise<{ id: string; key: string }> {
  return (await manage('POST', `/applications/${id}/keys`)).body as { id: string; key: string };
}

describe('a session', () => {
  it.each<[string, (application: TestApplication) => Promise<{ readonly status: number }>]>([
    ['its authorizing key is revoked', ({ id, keyId }) => manage('DELETE', `/applications/${id}/keys/${keyId}`)],
    ['the application of that key is deleted', ({ id }) => manage('DELETE', `/applications/${id}`)],
  ])('ends on every server when %s', async (_name, revoke) => {
    const application = await makeAuthorizer();
    const sessions = [await openSession(application.key), await openSession(application.key)];
    expect((await revoke(application)).status).toBe(204);
    await untilTrue(() => areRefused(sessions), { waitingFor: 'the end of the sessions' });
    const { rows } = await vault.database.owner.query('select from sessions where authorized_by = $1', [
      application.id,
    ]);
    expect(rows).toEqual([]);
  });

  it('goes on when another key of the application is revoked', async () => {
    const application = await makeAuthorizer();
    const second = await addKey(application);
    const [first, kept] = [await openSession(application.key), await openSession(second.key)];
    await manage('DELETE', `/applications/${application.id}/keys/${application.keyId}`);
    await untilTrue(() => areRefused([first]), { waitingFor: 'the end of the session' });
    for (const url of urls()) expect(await read(kept, url)).toBe(200);
  });

  it('is not left behind by an authorization at the same moment as the revocation', async () => {
    for (let round = 0; round < 5; round += 1) {
      const application = await makeAuthorizer();
      const created = await Promise.all(Array.from({ length: 10 }, createSession));
      const authorizing = created.map(({ nonce }) => authorize(application.key, nonce));
      const revoking = manage('DELETE', `/applications/${application.id}/keys/${application.keyId}`);
      const statuses = (await Promise.all(authorizing)).map(({ status }) => status);
      expect((await revoking).status).toBe(204);
      for (const status of statuses) expect([200, 401, 404]).toContain(status);
      const sessions = created.map(({ session_key }) => session_key);
      await untilTrue(
        async () => {
          const reads = await Promise.all(urls().flatMap((url) => sessions.map((session) => read(session, url))));
          return reads.every((status) => status === 401 || status === 403);
        },
        { waitingFor: 'the end of all sessions' },
      );
    }
  });
});
