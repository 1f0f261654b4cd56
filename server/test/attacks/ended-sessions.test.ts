import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { VaultServer } from '../../src/app/serve/vault-server.ts';
import { fastest, untilTrue } from '../harness/deadline.ts';
import { countLockWaits } from '../harness/lock-waits.ts';
import { requestHead } from '../harness/raw-http.ts';
import { createApplication, recordsOf } from '../harness/test-application.ts';
import { revealingRule as rule, type TestSession as Session, TestSessions } from '../harness/test-sessions.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';

/* Previously, a session could not be ended. A leaked one stayed valid for up to a day. */
const promisedMs = 1_000;
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

const urls = () => [vault.server.url, other.url];
const read = async (key: string, url: string) => (await vault.request('GET', '/tokens/secret', { key, url })).status;
const create = (of = tenant) => new TestSessions(vault, of).create();
const authorize = (nonce: string, of = tenant, more: object = {}) => new TestSessions(vault, of).authorize(nonce, more);
const open = (of = tenant, more: object = {}) => new TestSessions(vault, of).open(more);
const idOf = (of = tenant) => new TestSessions(vault, of).findNewest();
const end = (id: string, key = tenant.keys.management) => new TestSessions(vault, tenant).end(id, key);

const untilRefused = (keys: readonly string[]) =>
  untilTrue(
    async () =>
      (await Promise.all(urls().flatMap((url) => keys.map((key) => read(key, url))))).every((status) => status === 401),
    { waitingFor: 'the end of the sessions on every server' },
  );

describe('an ended session', () => {
  it('is refused on every server that knew it a moment ago, and the log says what it could do', async () => {
    const { id, session_key } = await open();
    for (const url of urls()) for (let round = 0; round < 2; round += 1) expect(await read(session_key, url)).toBe(200);
    expect(await end(id)).toMatchObject({ status: 204, text: '' });
    await untilRefused([session_key]);
    const records = await recordsOf(vault, tenant, id);
    expect(records.map(({ operation, outcome }) => [operation, outcome])).toEqual([
      ['create', 'success'],
      ['authorize', 'success'],
      ['delete', 'success'],
    ]);
    expect(records.at(-1)?.['details']).toContain('"rule removed: /a/ reveal token:read (priority 1)"');
    expect(records.at(-1)?.['actor_type']).toBe('application');
  });

  it('is refused within a second', async () => {
    const refusedMs = await fastest(
      async () => {
        const { id, session_key } = await open();
        for (const url of urls()) expect(await read(session_key, url)).toBe(200);
        const startedAt = performance.now();
        expect((await end(id)).status).toBe(204);
        await untilRefused([session_key]);
        return performance.now() - startedAt;
      },
      { enoughMs: promisedMs },
    );
    expect(refusedMs).toBeLessThan(promisedMs);
  });

  it('leaves the others of the same key alone', async () => {
    const [ended, kept] = [await open(), await open()];
    expect((await end(ended.id)).status).toBe(204);
    await untilRefused([ended.session_key]);
    for (const url of urls()) expect(await read(kept.session_key, url)).toBe(200);
  });

  it('is not there a second time, and ends once however often it is asked for', async () => {
    const { id } = await open();
    const statuses = await Promise.all(Array.from({ length: 10 }, async () => (await end(id)).status));
    expect(statuses.toSorted((a, b) => a - b)).toEqual([204, ...Array<number>(9).fill(404)]);
    const ends = (await recordsOf(vault, tenant, id)).filter(({ operation }) => operation === 'delete');
    expect(ends.filter(({ outcome }) => outcome === 'success')).toHaveLength(1);
    expect(ends.filter(({ outcome }) => outcome === 'missed')).toHaveLength(9);
    expect((await end(id)).status).toBe(404);
  });

  it('is never authorized if it was not yet', async () => {
    const { session_key, nonce } = await create();
    expect((await end(await idOf())).status).toBe(204);
    expect(await authorize(nonce)).toMatchObject({ status: 404 });
    for (const url of urls()) expect(await read(session_key, url)).toBe(401);
  });

  it('is gone or refused, whichever of an authorization and its end comes first', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { session_key, nonce } = await create();
      const id = await idOf();
      const [authorized, ended] = await Promise.all([authorize(nonce), end(id)]);
      expect([200, 404]).toContain(authorized.status);
      expect(ended.status).toBe(204);
      await untilRefused([session_key]);
    }
  });

  it('does nothing with a request whose body arrives later', async () => {
    const { nonce, session_key } = await create();
    const creating = { ...rule, transform: 'mask', permissions: ['token:create'] };
    expect((await authorize(nonce, tenant, { rules: [creating] })).status).toBe(200);
    const id = await idOf();
    const text = JSON.stringify({ id: `late-${id}`, type: 'token', data: 'x', containers: ['/a/'] });
    const { hostname, port } = new URL(other.url);
    const socket = connect({ host: hostname, port: Number(port) });
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    const closed = once(socket, 'close');
    const head = { 'bt-api-key': session_key, 'content-type': 'application/json', 'content-length': `${text.length}` };
    socket.write(requestHead('POST /tokens', head) + text.slice(0, 1));
    const sentAt = performance.now();
    await untilTrue(() => performance.now() - sentAt > 300, { waitingFor: 'the body to be late' });
    expect((await end(id)).status).toBe(204);
    await untilRefused([session_key]);
    socket.write(text.slice(1));
    await closed;
    expect(Buffer.concat(chunks).toString()).toMatch(/^HTTP\/1\.1 401 /);
    expect((await vault.request('GET', `/tokens/late-${id}`, { key: tenant.keys.private })).status).toBe(404);
  });
});

describe('an application with a grant_limit', () => {
  const limitOf = (containers: readonly string[], transform: string) => ({
    permissions: ['token:read', 'token:create', 'session:delete', 'session:read'],
    containers,
    transform,
  });
  const limited = (containers: readonly string[], transform: string) =>
    createApplication(vault, tenant, {
      type: 'management',
      permissions: ['session:read', 'session:delete'],
      grant_limit: limitOf(containers, transform),
    });
  const within = { permissions: [], rules: [{ ...rule, transform: 'mask' }] };

  it('ends sessions that applications within its limit have authorized, and no others', async () => {
    const { key } = await limited(['/a/'], 'mask');
    const authorizer = await createApplication(vault, tenant, within);
    const small = await create();
    const body = { nonce: small.nonce, rules: within.rules };
    expect((await vault.request('POST', '/sessions/authorize', { key: authorizer.key, body })).status).toBe(200);
    expect((await end(await idOf(), key)).status).toBe(204);

    const large = await open();
    const refused = await end(large.id, key);
    expect(refused).toMatchObject({ status: 403 });
    expect((refused.body as { detail: string }).detail).toContain('grant_limit');
    for (const url of urls()) expect(await read(large.session_key, url)).toBe(200);
    expect((await recordsOf(vault, tenant, large.id)).map(({ outcome }) => outcome)).toEqual([
      'success',
      'success',
      'denied',
    ]);
  });

  it('ends no session that waits, of a public application beyond its limit', async () => {
    const { key } = await limited(['/a/'], 'mask');
    await create();
    expect((await end(await idOf(), key)).status).toBe(403);
  });

  it('ends what it could end by deleting the public application', async () => {
    const { key } = await limited(['/a/'], 'mask');
    const page = await createApplication(vault, tenant, { type: 'public', permissions: [] });
    const session = (await vault.request('POST', '/sessions', { key: page.key })).body as Session;
    expect((await authorize(session.nonce)).status).toBe(200);
    expect((await end(await idOf(), key)).status).toBe(204);
  });
});

describe('deleting an application while it authorizes', () => {
  it('does not wait for a key that the authorization holds', async () => {
    const application = await createApplication(vault, tenant, { permissions: [], rules: [rule] });
    const { nonce } = await create();
    const deleting = await vault.database.owner.connect();
    try {
      await deleting.query('begin');
      await deleting.query('select from applications where id = $1 for update', [application.id]);
      const body = { nonce, rules: [rule] };
      const authorizing = vault.request('POST', '/sessions/authorize', { key: application.key, body });
      await untilTrue(async () => (await countLockWaits(vault.database.owner)) > 0, {
        waitingFor: 'the authorization to wait for the application',
      });
      // A deletion locks the application first and then its keys. If the authorization held a lock on the key, the two
      // would deadlock here.
      await deleting.query('select from application_keys where id = $1 for update nowait', [application.keyId]);
      await deleting.query('delete from applications where id = $1', [application.id]);
      await deleting.query('commit');
      expect([401, 404]).toContain((await authorizing).status);
    } finally {
      deleting.release();
    }
  });
});
