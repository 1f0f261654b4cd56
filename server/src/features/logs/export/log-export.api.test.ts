import { request as httpRequest, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { untilTrue } from '../../../../test/harness/deadline.ts';
import { welcome } from '../../../../test/harness/portal-people.ts';
import { sealAll, signerOf } from '../../../../test/harness/sealed-log.ts';
import { StatementTap } from '../../../../test/harness/statement-tap.ts';
import { type TestTenant, TestVault } from '../../../../test/harness/test-vault.ts';
import { fillVariedLog } from '../../../../test/harness/varied-log.ts';

let vault: TestVault;
let tenant: TestTenant;
let tap: StatementTap;
beforeAll(async () => {
  vault = await TestVault.start();
  tap = new StatementTap();
});
afterAll(async () => {
  tap.close();
  await vault.stop();
});
beforeEach(async () => {
  tenant = await vault.makeTenant();
});

const get = (path: string) => vault.request('GET', path, { key: tenant.keys.management });
const linesOf = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

/** Reads every page of the list with these filters. */
async function listAll(query: string): Promise<unknown[]> {
  const logs: unknown[] = [];
  for (let start = ''; ; ) {
    const { body } = await get(`/logs?size=100&${query}${start}`);
    const { data, pagination } = body as { data: unknown[]; pagination: { next?: string } };
    logs.push(...data);
    if (pagination.next === undefined) return logs;
    start = `&start=${pagination.next}`;
  }
}

/** Opens an export without reading it. */
function open(path: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(`${vault.server.url}${path}`, { headers: { 'bt-api-key': tenant.keys.management } });
    request.on('response', (response) => resolve(response.on('error', () => undefined)));
    request.on('error', reject);
    request.end();
  });
}

describe('GET /logs/export', () => {
  it.each(['transform=reveal', 'outcome=denied&entity_type=card', 'request_id=request-7', 'entity_id=entity-3'])(
    'holds exactly what the list shows with %s, and says that it is whole',
    async (query) => {
      await fillVariedLog(vault.database, { tenantId: tenant.id, count: 1_300, days: 2 });
      await sealAll(vault.database, signerOf(vault.server));
      await fillVariedLog(vault.database, { tenantId: tenant.id, count: 100, days: 1 });
      const response = await get(`/logs/export?${query}`);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('application/ndjson');
      const lines = linesOf(response.text);
      const listed = await listAll(query);
      expect(listed.length).toBeGreaterThan(5);
      expect(lines.slice(0, -1)).toEqual(listed);
      expect(lines.at(-1)).toEqual({ end: true, records: listed.length });
    },
  );

  it('is CSV that no spreadsheet runs', async () => {
    const values = ['=1+1', '+1', '-1', '@x', '\tx', '\n=1', '＝1', '＋1', '－1', '＠x', 'a,"b"\r\nc', 'plain'];
    await vault.database.owner.query(
      `insert into audit_records (tenant_id, entity_type, entity_id, operation, outcome, destination, containers, details)
        select $1, 'proxy', value, 'invoke', 'success', 'csv.example.com', array['/a/', '/b/'], '{"found":1}'
        from unnest($2::text[]) as value`,
      [tenant.id, values],
    );
    const { text, headers } = await get('/logs/export?format=csv&destination=csv.example.com');
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(headers.get('content-disposition')).toBe('attachment; filename="logs.csv"');
    const [head] = text.split('\r\n');
    expect(head).toBe(
      'id,tenant_id,created_at,actor_id,actor_type,key_id,source_address,request_id,entity_type,entity_id,operation,outcome,transform,message,containers,destination,details',
    );
    const plain = ['=1+1', '+1', '-1', '@x', '\tx', '＝1', '＋1', '－1', '＠x'].map((value) => `'${value}`);
    const cells = [...plain, `"'\n=1"`, '"a,""b""\r\nc"', 'plain'];
    for (const cell of cells)
      expect(text).toContain(
        `,proxy,${cell},invoke,success,,Proxy invoked,/a/ /b/,csv.example.com,"{""found"":1}"\r\n`,
      );
    expect(text.replaceAll(`"'\n=1"`, '')).not.toMatch(/(^|,|\n)"?[=+\-@\t＝＋－＠]/);
  });

  it('is whole where nothing fits', async () => {
    expect(linesOf((await get('/logs/export?operation=unheard-of')).text)).toEqual([{ end: true, records: 0 }]);
    expect((await get('/logs/export?format=csv&entity_type=unheard-of')).text).toMatch(/^id,tenant_id,.*,details\r\n$/);
  });

  it('is recorded as a read of the log that names its filters', async () => {
    await get('/logs/export?source_address=203.0.113.9&format=csv');
    const last = (await vault.auditRecords(tenant.id)).at(-1);
    expect(last).toMatchObject({
      entity_type: 'log',
      operation: 'read',
      details: '{"via":"download","fields":["source_address"]}',
    });
  });

  it.each(['ndjson', 'csv'])('breaks the connection off where reading fails on the way, as %s', async (format) => {
    await fillVariedLog(vault.database, { tenantId: tenant.id, count: 1_400, days: 1 });
    let pages = 0;
    tap.interrupt(
      ({ text }) => text.includes('from audit_records r') && text.includes('limit') && (pages += 1) === 2,
      () => Promise.reject(new Error('The database went away.')),
    );
    const response = await open(`/logs/export?format=${format}`);
    expect(response.statusCode).toBe(200);
    let body = '';
    response.setEncoding('utf8').on('data', (piece: string) => (body += piece));
    await new Promise((resolve) => response.on('close', resolve));
    expect(response.complete).toBe(false);
    expect(body.length).toBeGreaterThan(0);
    expect(body).not.toContain('"end":true');
  });

  it('reads no further than its client, and no third is begun beside two, not even by a member', async () => {
    const { visitor } = await welcome(vault, tenant);
    const count = 60_000;
    await vault.database.owner.query(
      `insert into audit_records (tenant_id, entity_type, entity_id, operation, outcome, destination)
        select $1, 'token', repeat('x', 300) || n, 'read', 'success', repeat('y', 200) from generate_series(1, $2) n`,
      [tenant.id, count],
    );
    await vault.database.owner.query('analyze audit_records');
    const pagesRead = () => tap.sent.filter(({ text }) => text.includes('found.created_at desc')).length;
    const before = pagesRead();
    const slow = [await open('/logs/export'), await open('/logs/export?format=csv')];
    expect(slow.map(({ statusCode }) => statusCode)).toEqual([200, 200]);
    const third = await get('/logs/export');
    expect(third).toMatchObject({ status: 429, body: { detail: expect.stringContaining('at most 2 log exports') } });
    const member = await visitor.send('GET', '/portal/api/logs/export', { 'sec-fetch-site': 'same-origin' });
    expect(member.status).toBe(429);
    // Other tenants have their own slots.
    const other = await vault.makeTenant();
    expect((await vault.request('GET', '/logs/export', { key: other.keys.management })).status).toBe(200);
    const [first, second] = slow;
    let lines = 0;
    second?.setEncoding('utf8').on('data', (piece: string) => (lines += piece.split('\r\n').length - 1));
    await new Promise((resolve) => second?.on('close', resolve));
    expect(second?.complete).toBe(true);
    expect(lines).toBeGreaterThan(count);
    // While one export was read to the end, the other one only filled the buffers of its connection.
    expect(pagesRead() - before).toBeLessThan((1.5 * count) / 500);
    first?.destroy();
    await untilTrue(
      async () => {
        const both = await Promise.all([open('/logs/export?operation=delete'), open('/logs/export?operation=delete')]);
        for (const response of both) response.resume();
        return both.every(({ statusCode }) => statusCode === 200);
      },
      { deadlineMs: 30_000, waitingFor: 'the slot of the export that was given up' },
    );
  }, 120_000);

  it('400 for what it does not know', async () => {
    for (const query of ['format=xml', 'page=1', 'start=1.x', 'actor=me'])
      expect((await get(`/logs/export?${query}`)).status).toBe(400);
  });

  it('403 without the permission', async () => {
    expect((await vault.request('GET', '/logs/export', { key: tenant.keys.private })).status).toBe(403);
  });

  it('holds nothing of another tenant', async () => {
    const other = await vault.makeTenant();
    await fillVariedLog(vault.database, { tenantId: other.id, count: 20, days: 1 });
    expect(linesOf((await get('/logs/export?destination=api.example.com')).text)).toEqual([{ end: true, records: 0 }]);
  });
});
