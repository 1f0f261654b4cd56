import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { untilTrue } from '../harness/deadline.ts';
import { welcome } from '../harness/portal-people.ts';
import type { PortalVisitor } from '../harness/portal-visitor.ts';
import { requestHead } from '../harness/raw-http.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';

/** Requests of members whose body arrives after they were removed, demoted or signed out. */
let vault: TestVault;
let tenant: TestTenant;

beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
});
afterAll(() => vault.stop());

const revealing = {
  name: 'left behind',
  type: 'private',
  rules: [{ priority: 1, container: '/', transform: 'reveal', permissions: ['token:read'] }],
};

/** Sends the head and one byte of the body, runs `between`, and then sends the rest. */
async function createLate(visitor: PortalVisitor, between: () => Promise<unknown>) {
  const text = JSON.stringify(revealing);
  const { hostname, port } = new URL(vault.server.url);
  const socket = connect({ host: hostname, port: Number(port) });
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  const closed = once(socket, 'close');
  await once(socket, 'connect');
  const headers = {
    cookie: [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    'sec-fetch-site': 'same-origin',
    'content-type': 'application/json',
    'content-length': String(text.length),
    connection: 'close',
  };
  socket.write(requestHead('POST /portal/api/applications', headers) + text.slice(0, 1));
  const sentAt = performance.now();
  // Before the vault has admitted the request, it would be refused like any other.
  await untilTrue(() => performance.now() - sentAt > 300, { waitingFor: 'the body to be late' });
  await between();
  socket.write(text.slice(1));
  await closed;
  const response = Buffer.concat(chunks).toString();
  return { status: Number(response.split(' ')[1]), text: response };
}

const ofUser = 'tenant_id = $1 and user_id = (select id from users where email = $2)';

describe('a request of a member whose body is held back', () => {
  it.each([
    ['who was removed meanwhile', 401, `delete from members where ${ofUser}`],
    ['whose role was lowered meanwhile', 403, `update members set role = 'READ_ONLY' where ${ofUser}`],
  ])('creates no key for somebody %s', async (_name, status, change) => {
    const { visitor, email } = await welcome(vault, tenant);
    const late = await createLate(visitor, () => vault.database.owner.query(change, [tenant.id, email]));
    expect(late.status).toBe(status);
    expect(late.text).not.toContain('"key"');
  });

  it('creates no key for somebody who has signed out', async () => {
    const { visitor } = await welcome(vault, tenant);
    const late = await createLate(visitor, () => visitor.post('/portal/sign-out'));
    expect(late.status).toBe(401);
  });

  it('is handled as usual if nothing has changed', async () => {
    const { visitor } = await welcome(vault, tenant);
    expect((await createLate(visitor, async () => undefined)).status).toBe(201);
  });
});
