import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { generateRootKey, parseRootKey } from '../../src/platform/keyring/kms/file/file-root-key.ts';
import { untilPasses } from '../harness/deadline.ts';
import { EventVault } from '../harness/event-vault.ts';
import { Program } from '../harness/program.ts';

let events: EventVault;
let settings: Record<string, string>;
let local: Server;
const received: { readonly path: string; readonly headers: IncomingMessage['headers']; readonly body: string }[] = [];
beforeAll(async () => {
  const rootKey = generateRootKey();
  events = await EventVault.start({ rootKey: parseRootKey(rootKey) });
  settings = { STRONGROOM_DATABASE_URL: events.vault.database.url, STRONGROOM_ROOT_KEY: rootKey };
  local = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push({ path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks).toString() });
      response.writeHead(202).end();
    });
  }).listen(0, '127.0.0.1');
  await once(local, 'listening');
});
afterEach(() => Program.killAll());
afterAll(async () => {
  await events.stop();
  local.close();
});

const run = (...command: string[]) => Program.run(['webhooks', ...command], settings);
const json = async (...command: string[]) => JSON.parse((await run(...command, '--json')).stdout) as never;
const ofTenant = () => ['--tenant', events.tenant.id];
const recorded = async (operation: string) =>
  (await events.vault.auditRecords(events.tenant.id)).filter(
    (record) =>
      record['entity_type'] === 'webhook' && record['operation'] === operation && record['actor_type'] === 'system',
  );

describe('strongroom webhooks', () => {
  it('lists endpoints and deliveries without a secret, and writes that down in the log of the tenant', async () => {
    expect((await run('list', ...ofTenant())).stdout).toBe('None. POST /webhooks creates one.\n');
    const { id, signing_secret: secret } = await events.subscribe({ url: `${events.url}/cli`, name: 'Or\nders' });
    await events.proxy.store('one');
    await untilPasses(() => expect(events.receiver.at('/cli')).toHaveLength(1));
    const { stdout } = await run('list', ...ofTenant());
    expect(stdout).toMatch(/^ID +STATE +EVENTS +NAME +URL\n/);
    expect(stdout).toMatch(new RegExp(`^${id} +enabled +1 +Or.{1,4}ders +${events.url}/cli\n$`, 'm'));
    expect(stdout).not.toContain(secret);
    expect(await json('list', ...ofTenant())).toEqual({
      webhooks: [expect.objectContaining({ id, status: 'enabled', events: ['token.created'] })],
    });
    await untilPasses(async () =>
      expect(await json('deliveries', ...ofTenant(), '--webhook', id, '--status', 'delivered')).toMatchObject({
        deliveries: [{ status: 'delivered', response_status: 204, event_types: ['token.created'] }],
      }),
    );
    expect((await run('deliveries', ...ofTenant(), '--webhook', id)).stdout).toContain('token.created');
    expect((await recorded('read')).length).toBeGreaterThanOrEqual(5);
  });

  it('resends one delivery, and everything since a time', async () => {
    const { id } = await events.subscribe({ url: `${events.url}/again` });
    await events.proxy.store('again');
    await untilPasses(() => expect(events.receiver.at('/again')).toHaveLength(1));
    const { deliveries } = await untilPasses(async () => {
      const listed: { deliveries: { id: string }[] } = await json('deliveries', ...ofTenant(), '--webhook', id);
      expect(listed.deliveries).toHaveLength(1);
      return listed;
    });
    const resend = (...what: string[]) => run('resend', ...ofTenant(), '--webhook', id, ...what);
    expect((await resend('--delivery', deliveries[0]?.id ?? '')).code).toBe(0);
    await untilPasses(() => expect(events.receiver.at('/again')).toHaveLength(2));
    expect((await resend('--since', new Date(Date.now() - 60_000).toISOString())).code).toBe(0);
    await untilPasses(() => expect(events.receiver.at('/again').length).toBeGreaterThan(2));
    const ids = events.receiver.at('/again').map(({ headers }) => headers['webhook-id']);
    expect(ids[1]).toBe(ids[0]);
    expect(await recorded('resend')).toHaveLength(2);
    expect(await resend('--since', '2020-01-01T00:00:00Z')).toMatchObject({ code: 1 });
    expect(await resend()).toMatchObject({ code: 1, stderr: expect.stringContaining('--delivery and --since') });
    const unknown = await resend('--delivery', crypto.randomUUID());
    expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no such delivery.') });
  });

  it('forwards events to a port of this machine, signed, as far as they are wanted', async () => {
    const { port } = local.address() as AddressInfo;
    const wanted = ['--events', 'token.created,token.deleted', '--container', '/pci/', '--path', '/hook?a=b'];
    const listening = Program.start(
      ['webhooks', 'listen', ...ofTenant(), '--port', String(port), ...wanted, '--json'],
      settings,
    );
    const { signing_secret: secret } = await listening.ready<{ signing_secret: string }>();
    await events.proxy.store('not wanted', { containers: ['/general/'] });
    const id = await events.proxy.store('wanted', { containers: ['/pci/'] });
    await untilPasses(() => expect(received).toHaveLength(1));
    const [message] = received;
    expect(message?.path).toBe('/hook?a=b');
    const verified = new Webhook(secret).verify(message?.body ?? '', message?.headers as Record<string, string>);
    expect(verified).toMatchObject({ event: { type: 'token.created', data: { token: { id } } } });
    await listening.output('"outcome":"202"');
    local.close();
    local.closeAllConnections();
    await events.vault.request('DELETE', `/tokens/${id}`, { key: events.tenant.keys.private });
    await listening.output('ECONNREFUSED');
    expect(await listening.stop()).toMatchObject({ code: 0, stderr: '' });
  });
});
