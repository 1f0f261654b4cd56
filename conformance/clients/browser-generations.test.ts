import * as first from '@basis-theory/basis-theory-js-1';
import * as second from '@basis-theory/basis-theory-js-2';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { BrowserClient } from '../harness/browser-client.ts';
import type { Echo } from '../harness/echo-destination.ts';
import { thrownBy } from '../harness/thrown-by.ts';
import { maskedCard, testCard } from '../harness/value-forms.ts';

const { url, keys, tenantId } = inject('vault');
const destination = inject('destinationUrl');
const generations = [
  { name: 'basis-theory-js 2.9.0', library: second },
  { name: 'basis-theory-js 1.79.3', library: first },
];

/**
 * Versions still used by pages and services that have not been updated. Every call is the same as in the newest
 * version.
 */
describe.each(generations)('$name', ({ library }) => {
  const open = async (key: string) =>
    (await new library.BasisTheory().init(key, { apiBaseUrl: url })) as unknown as BrowserClient;
  let client: BrowserClient;
  let manager: BrowserClient;
  beforeAll(async () => {
    client = await open(keys.private);
    manager = await open(keys.management);
  });

  it('stores, reads, changes, lists, searches and deletes tokens', async () => {
    const batch = crypto.randomUUID();
    const token = await client.tokens.create({ type: 'card', data: testCard, metadata: { batch } });
    expect(token).toMatchObject({ tenantId, type: 'card', data: maskedCard, containers: ['/pci/high/'] });
    expect((await client.tokens.update(token.id, { metadata: { batch, more: 'x' } })).metadata).toMatchObject({
      more: 'x',
    });
    expect(await (await open(keys.reveal)).tokens.retrieve(token.id)).toMatchObject({ data: testCard });
    expect((await client.tokens.list({ id: token.id })).data).toHaveLength(1);
    expect((await client.tokens.search({ query: `metadata.batch:${batch}` })).pagination.totalItems).toBe(1);
    await client.tokens.delete(token.id);
    expect(await thrownBy(client.tokens.retrieve(token.id))).toMatchObject({ status: 404 });
  });

  it('tokenizes in the shape of the request', async () => {
    const shape = await client.tokenize({ first_name: 'Ada', card: { type: 'card', data: testCard } });
    expect(shape).toMatchObject({ first_name: expect.any(String), card: { type: 'card', data: maskedCard } });
  });

  it('forwards through the proxy', async () => {
    const { id } = await client.tokens.create({ type: 'token', data: 'Sensitive Value' });
    const echo = (await client.proxy.post({
      path: '/charges',
      headers: { 'BT-PROXY-URL': destination },
      body: { value: `{{ ${id} }}` },
    })) as Echo;
    expect(echo).toMatchObject({ method: 'POST', path: '/charges', body: '{"value":"Sensitive Value"}' });
  });

  it('creates and authorizes a session', async () => {
    const session = await (await open(keys.public)).sessions.create();
    await client.sessions.authorize({ nonce: session.nonce, permissions: ['token:create'] });
    const token = await (await open(session.sessionKey)).tokens.create({ type: 'token', data: 'x' });
    expect(token.type).toBe('token');
  });

  it('manages applications, and reads tenant, members, permissions and logs', async () => {
    const made = await manager.applications.create({ name: 'Old', type: 'private', permissions: ['token:read'] });
    expect(await manager.applications.retrieve(made.id)).toMatchObject({ name: 'Old', permissions: ['token:read'] });
    expect((await manager.applications.list({ id: made.id })).data).toHaveLength(1);
    await manager.applications.delete(made.id);
    expect(await manager.tenants.retrieve()).toMatchObject({ id: tenantId });
    expect((await manager.tenants.listMembers()).pagination).toMatchObject({ pageNumber: 1 });
    expect((await manager.permissions.list()).length).toBeGreaterThan(5);
    expect((await manager.logs.list({ entityId: made.id })).data.length).toBeGreaterThan(0);
  });

  it('says what is wrong', async () => {
    expect(await thrownBy((await open('nobody')).tokens.retrieve('x'))).toMatchObject({ status: 401 });
    const error = await thrownBy(client.tokens.create({ type: 'card', data: { number: '1' } }));
    // These versions change the case of all names, which removes the dot.
    expect(error).toMatchObject({ status: 400, data: { errors: { dataNumber: expect.any(Array) } } });
  });
});
