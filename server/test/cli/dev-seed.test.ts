import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DevelopmentKeys } from '../../src/app/dev/development-vault.ts';
import { untilTrue } from '../harness/deadline.ts';
import { Program } from '../harness/program.ts';

interface Ready {
  readonly url: string;
  readonly keys: DevelopmentKeys;
  readonly seeded_keys: Readonly<Record<string, string>>;
  readonly settings: Readonly<Record<string, string>>;
}
interface Page {
  readonly pagination: { readonly total_items: number };
  readonly data: readonly Readonly<Record<string, unknown>>[];
}

/** All cases use one vault, which is filled once. */
let ready: Ready;
beforeAll(async () => {
  ready = await Program.start(['dev', '--port', '0', '--json', '--seed']).ready<Ready>();
});
afterAll(() => Program.killAll());

async function get<T>(target: string, key: string): Promise<T> {
  const answer = await fetch(`${ready.url}${target}`, { headers: { 'bt-api-key': key } });
  return (await answer.json()) as T;
}
const logs = (query: string) => get<Page>(`/logs?${query}`, ready.keys.management);
const dayMs = 24 * 60 * 60_000;
const timeOf = (record: Readonly<Record<string, unknown>> | undefined) => Date.parse(String(record?.['created_at']));

describe('strongroom dev --seed', () => {
  it('creates applications that each see as much as their rules say', async () => {
    const names = Object.keys(ready.seeded_keys);
    const { data: applications } = await get<Page>('/applications?size=50', ready.keys.management);
    expect(names).toHaveLength(8);
    for (const name of names) expect(applications.map((one) => one['name'])).toContain(name);
    const oldest = Math.min(...applications.map(timeOf));
    expect(Date.now() - oldest).toBeGreaterThan(29.9 * dayMs);

    const [record] = (await logs('entity_type=card&operation=create&size=1')).data;
    const seenBy = (name: string) =>
      get<{ data?: { number: string } }>(`/tokens/${String(record?.['entity_id'])}`, ready.seeded_keys[name] ?? '');
    expect((await seenBy('Fraud review')).data?.number).toMatch(/^\d{15,16}$/);
    expect((await seenBy('Support desk')).data?.number).toMatch(/^X{11,12}\d{4}$/);
    expect((await seenBy('Analytics')).data).toBeUndefined();
    expect(await seenBy('CRM sync')).toMatchObject({ status: 403 });
  });

  it('stores 200 cards and people over the month', async () => {
    const { token_report: report } = await get<{
      token_report: { metrics_by_type: Record<string, { count: number; last_created_at: string }> };
    }>('/tenants/self/reports/usage', ready.keys.management);
    const { card, token, bank } = report.metrics_by_type;
    expect(card?.count).toBe(200);
    expect(token?.count).toBeGreaterThanOrEqual(194);
    expect(bank?.count).toBe(20);
    const { data: newest } = await get<Page>('/tokens?type=card&size=100', ready.keys.private);
    const times = newest.map(timeOf);
    expect(times).toEqual(times.toSorted((a, b) => b - a));
    expect(new Set(times.map((time) => Math.floor(time / dayMs))).size).toBeGreaterThan(10);
    expect(Date.parse(card?.last_created_at ?? '')).toBe(times[0]);
    // The tokens are found by their index entries, which are stored with their creation time.
    const [customer] = newest.map((one) => (one['metadata'] as { customer: string }).customer);
    const both = await get<Page>(`/tokens?metadata.customer=${customer}`, ready.keys.private);
    expect(both.data.map((one) => String(one['type'])).toSorted()).toEqual(['card', 'token']);
  });

  it('has members, and somebody who is invited', async () => {
    const members = await get<Page>('/tenants/self/members', ready.keys.management);
    expect(members.data.map((one) => String(one['role'])).toSorted()).toEqual(['ADMIN', 'ADMIN', 'OWNER', 'READ_ONLY']);
    const invitations = await get<Page>('/tenants/self/invitations', ready.keys.management);
    expect(invitations.data).toHaveLength(1);
  });

  it('has a month of log, with refusals, misses and an alert', async () => {
    await untilTrue(async () => (await logs('outcome=missed&size=1')).pagination.total_items > 0, {
      waitingFor: 'the log to be sealed and counted',
    });
    const all = await logs('size=100');
    expect(all.pagination.total_items).toBeGreaterThan(3_000);
    const oldest = await logs(`end_date=${new Date(Date.now() - 29 * dayMs).toISOString()}&size=1`);
    expect(oldest.pagination.total_items).toBeGreaterThan(200);
    expect((await logs('outcome=missed&size=1')).pagination.total_items).toBeGreaterThanOrEqual(143);
    expect((await logs('outcome=denied&size=1')).pagination.total_items).toBeGreaterThan(20);
    expect((await logs('destination=api.acquirer.example&size=1')).pagination.total_items).toBeGreaterThan(100);
    const { data: alerts } = await logs('operation=alert');
    expect(alerts).toMatchObject([{ entity_type: 'key', actor_type: 'system', details: { rule: 'misses' } }]);
    expect(Date.now() - timeOf(alerts[0])).toBeGreaterThan(8 * dayMs);
    // The misused key has been revoked. Its replacement is printed.
    const keyId = String(alerts[0]?.['entity_id']);
    const { data: last } = await logs(`key_id=${keyId}&size=1`);
    expect(timeOf(last[0]) - timeOf(alerts[0])).toBeLessThan(dayMs);
  });

  it('leaves a log that verifies, and whose counters agree with its records', async () => {
    const { code, stdout } = await Program.run(['audit', 'verify', '--json'], ready.settings);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ findings: [] });
    const exported = await fetch(`${ready.url}/logs/export`, { headers: { 'bt-api-key': ready.keys.management } });
    const records = (await exported.text())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    for (const [field, value] of [
      ['outcome', 'missed'],
      ['transform', 'reveal'],
      ['source_address', '203.0.113.77'],
    ] as const) {
      const { pagination } = await logs(`${field}=${value}&size=1`);
      expect([field, pagination.total_items]).toEqual([field, records.filter((one) => one[field] === value).length]);
    }
  });
});
