import { afterAll, beforeAll, expect, it } from 'vitest';
import { defaultThresholds } from '../../src/platform/audit/watch/alert-rule.ts';
import { untilTrue } from '../harness/deadline.ts';
import { EventVault } from '../harness/event-vault.ts';
import { PortalBrowser } from '../harness/portal-browser.ts';
import { slowdown } from '../harness/slowdown.ts';

let events: EventVault;
let browser: PortalBrowser;
beforeAll(async () => {
  events = await EventVault.start();
  browser = await PortalBrowser.start(events.vault);
});
afterAll(async () => {
  await browser.stop();
  await events.stop();
});

it('an alert reaches a receiver within ten seconds of the burst, and its link opens the record in the portal', async () => {
  const { tenant, vault, receiver, url } = events;
  await events.subscribe({ url: `${url}/alerts`, events: ['audit.alert'] });
  const startedAt = Date.now();
  // A leaked key guesses. Every response is that there is no such token.
  const guess = () => vault.request('GET', `/tokens/${crypto.randomUUID()}`, { key: tenant.keys.private });
  const statuses = await Promise.all(Array.from({ length: defaultThresholds.misses }, guess));
  expect(new Set(statuses.map(({ status }) => status))).toEqual(new Set([404]));
  await untilTrue(() => receiver.at('/alerts').length > 0, { waitingFor: 'the alert' });
  const [message] = receiver.at('/alerts');
  expect((message?.at ?? 0) - startedAt).toBeLessThan(10_000 * slowdown);

  const [event] = message?.events ?? [];
  const alert = event?.data['alert'] as Record<string, unknown> & { readonly url: string };
  const { rows } = await vault.database.owner.query<{ id: string }>(
    `select k.id from application_keys k join applications a using (tenant_id)
      where k.tenant_id = $1 and a.id = k.application_id and a.name = 'private'`,
    [tenant.id],
  );
  expect(alert).toMatchObject({ rule: 'misses', count: 100, minutes: 10, key: { id: rows[0]?.id } });

  const link = new URL(alert.url);
  expect(link.origin).toBe('https://vault.example.com');
  const { page, open, complaints } = await browser.signIn(tenant, 'READ_ONLY');
  await open(`${link.pathname}${link.search}`);
  const shown = page.getByRole('dialog');
  await shown.waitFor();
  expect(await shown.textContent()).toContain(event?.id);
  expect(await shown.textContent()).toContain('misses');
  expect(complaints).toEqual([]);
});
