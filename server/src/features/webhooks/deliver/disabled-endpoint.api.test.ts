import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { untilPasses } from '../../../../test/harness/deadline.ts';
import { EventVault } from '../../../../test/harness/event-vault.ts';
import { MailServer } from '../../../../test/harness/mail-server.ts';
import { listQueued, queueNow } from '../../../../test/harness/queued-jobs.ts';

let events: EventVault;
let mailServer: MailServer;
beforeAll(async () => {
  mailServer = await MailServer.start();
  events = await EventVault.start({ smtp: mailServer.config });
});
beforeEach(() => {
  mailServer.mails.length = 0;
  events.receiver.react = () => ({ status: 410 });
});
afterAll(async () => {
  await events.stop();
  await mailServer.stop();
});

const textOf = (raw: string) => raw.replaceAll(/=\r?\n/g, '').replaceAll('=3D', '=');
const find = async (id: string) => (await events.manage('GET', `/webhooks/${id}`)).body as Record<string, unknown>;

it('tells the address that its owner gave, once, with the reason and a link to the portal', async () => {
  const settings = {
    url: `${events.url}/gone`,
    name: 'Orders <b>\r\nBcc: all@example.com',
    notify_email: 'ops@example.com',
  };
  const { id } = await events.subscribe(settings);
  await events.proxy.store('gone');
  await untilPasses(() => expect(mailServer.mails).toHaveLength(1));
  const [mail] = mailServer.mails;
  expect(mail?.to).toEqual(['ops@example.com']);
  const text = textOf(mail?.raw ?? '');
  expect(text).toContain('Reason: It responded with the status 410');
  expect(text).toContain('&lt;b&gt;');
  expect(text).not.toMatch(/^Bcc:/m);
  expect(text).toContain('https://vault.example.com/portal/webhooks');
  const records = await events.vault.auditRecords(events.tenant.id);
  const own = records.filter(({ operation, entity_id }) => operation === 'disable' && entity_id === id);
  expect(own).toMatchObject([{ entity_type: 'webhook', outcome: 'success', actor_type: 'system' }]);
});

it('says nothing about an endpoint that was enabled again before the mail left, or that has no address', async () => {
  const quiet = await events.subscribe({ url: `${events.url}/quiet` });
  const told = await events.subscribe({ url: `${events.url}/told`, notify_email: 'ops@example.com' });
  await events.proxy.store('quiet');
  await untilPasses(async () => expect(await find(quiet.id)).toMatchObject({ disabled_reason: 'gone' }));
  await untilPasses(() => expect(mailServer.mails).toHaveLength(1));
  expect(textOf(mailServer.mails[0]?.raw ?? '')).toContain(`${events.url}/told`);
  expect(await find(told.id)).toMatchObject({ status: 'disabled' });
});

it('sends twenty mails of a tenant in an hour, because a caller chooses to whom they go and what is in them', async () => {
  const { vault, url } = events;
  const { id, keys } = await vault.makeTenant();
  for (let count = 0; count < 23; count += 1)
    await events.subscribe({ url: `${url}/flood`, notify_email: `victim-${count}@example.com` }, keys.management);
  await vault.request('POST', '/tokens', { key: keys.private, body: { type: 'token', data: 'any' } });
  const listDelayed = async () =>
    (await listQueued(vault.database.owner, 'mail-webhook')).filter(
      ({ payload, startAfter }) => JSON.stringify(payload).includes(id) && startAfter.getTime() > Date.now() + 60_000,
    );
  await untilPasses(async () => expect(await listDelayed()).toHaveLength(3));
  await untilPasses(() => expect(mailServer.mails).toHaveLength(20));
  expect(new Set(mailServer.mails.flatMap(({ to }) => to)).size).toBe(20);
});

it('stays enabled if its owner changes it after the run has read it and before the run disables it', async () => {
  const gone = Promise.withResolvers<{ status: number }>();
  events.receiver.react = () => gone.promise;
  const { id } = await events.subscribe({ url: `${events.url}/moved` });
  const token = await events.proxy.store('moved');
  await untilPasses(() => expect(events.receiver.at('/moved')).toHaveLength(1));
  const { owner } = events.vault.database;
  const change = await owner.connect();
  try {
    await change.query('begin');
    await change.query('update webhooks set url = $2, modified_at = now() where id = $1', [id, `${events.url}/new`]);
    gone.resolve({ status: 410 });
    // The run has seen the endpoint as it was, and waits for the change in order to disable it.
    await untilPasses(async () => {
      const { rows } = await owner.query('select from pg_locks where not granted');
      expect(rows).toHaveLength(1);
    });
    events.receiver.react = () => ({ status: 204 });
    await change.query('commit');
  } finally {
    change.release(true);
  }
  await events.passTime(id);
  await untilPasses(() =>
    expect(
      events.receiver
        .at('/new')
        .map(({ body }) => body)
        .join(),
    ).toContain(token),
  );
  expect(await find(id)).toMatchObject({ status: 'enabled' });
  const records = await events.vault.auditRecords(events.tenant.id);
  expect(records.filter(({ operation, entity_id }) => operation === 'disable' && entity_id === id)).toEqual([]);
});

it('keeps deliveries for 30 days, and waiting ones for as long as they wait', async () => {
  events.receiver.react = () => ({ status: 204 });
  const { id } = await events.subscribe({ url: `${events.url}/kept` });
  for (const text of ['a', 'b', 'c']) await events.proxy.store(text);
  const list = async () =>
    ((await events.manage('GET', `/webhooks/${id}/deliveries`)).body as { data: Record<string, unknown>[] }).data;
  await untilPasses(async () => expect(await list()).toHaveLength(3));
  const [newest, old, waiting] = await list();
  const { owner } = events.vault.database;
  await owner.query(`update webhook_deliveries set last_at = now() - interval '31 days' where id = any($1::uuid[])`, [
    [old?.['id'], waiting?.['id']],
  ]);
  await owner.query(
    `update webhook_deliveries set status = 'waiting', next_at = now() + interval '1 day' where id = $1`,
    [waiting?.['id']],
  );
  await untilPasses(() => queueNow(owner, 'sweep-deliveries'));
  const kept = [newest?.['id'], waiting?.['id']].map(String).toSorted();
  await untilPasses(async () => expect((await list()).map((each) => String(each['id'])).toSorted()).toEqual(kept));
});
